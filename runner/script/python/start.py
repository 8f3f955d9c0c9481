"""Runs one script inside the sandbox, as the first thing that Python runs there.

Arguments: the limits (processor's seconds, bytes of data, bytes of address
space, bytes of a file, processes, open files; 0 for none), the script, and its
arguments. Descriptor 4 takes reports: the first hands over the work folder, and
is answered when the script may begin.
"""

import atexit
import os
import sys
from _thread import get_ident as thread, stack_size
from _json import encode_basestring_ascii as quoted  # without what json costs

CODE, WORK, ARCHIVE, TOOLS = "/code", "/work", "/archive", "/opt/opendesk"
REPORTS = 4
MAX_FRAMES = 3
MAX_TEXT = 500


def limit(processor, data, space, file, processes, files):
    """Sets the limits, which nothing in here can raise again."""
    import resource as r

    wanted = {r.RLIMIT_CPU: processor, r.RLIMIT_DATA: data, r.RLIMIT_AS: space, r.RLIMIT_FSIZE: file,
              r.RLIMIT_NPROC: processes, r.RLIMIT_NOFILE: files}
    for what, value in wanted.items():
        if value:
            hard = r.getrlimit(what)[1]
            if hard != r.RLIM_INFINITY:
                value = min(value, hard)
            # The signal for too much processor time comes at the soft limit.
            r.setrlimit(what, (value, value + 1 if what == r.RLIMIT_CPU and hard == r.RLIM_INFINITY else value))
    r.setrlimit(r.RLIMIT_CORE, (0, 0))
    # Stacks count as memory, whether they are used or not.
    stack_size(2 << 20)


def begin():
    """Hands over the work folder and waits for the word to begin."""
    import _socket

    reports = _socket.socket(fileno=REPORTS)
    folder = os.open(WORK, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    reports.sendmsg([b"{}"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, folder.to_bytes(4, sys.byteorder))])
    os.close(folder)
    reports.recv(1)
    reports.detach()


def tell(kind, **values):
    """Sends one report."""
    parts = []
    for name, value in values.items():
        if isinstance(value, str):
            value = quoted(value)
        parts.append('"%s":%s' % (name, value))
    try:
        os.write(REPORTS, ('{"%s":{%s}}' % (kind, ",".join(parts))).encode())
    except OSError:
        pass  # nobody listens any more


def cut(text):
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


# ---- What the code tries that leads out of the sandbox ----

# Where reading is nothing to speak of.
OWN = (CODE, WORK, ARCHIVE, TOOLS, "/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/dev/null", "/dev/zero",
       "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr",
       "/proc/self", "/proc/thread-self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat")
WRITABLE = (WORK, "/dev/null", "/dev/zero", "/dev/full", "/dev/shm", "/dev/fd", "/dev/stdout", "/dev/stderr")

# Events about paths: the positions of the paths among the arguments, and
# whether it is a change. "open" is told by its flags.
PATHS = {
    "open": ((0,), False), "os.listdir": ((0,), False), "os.scandir": ((0,), False), "os.chdir": ((0,), False),
    "os.mkdir": ((0,), True), "os.rmdir": ((0,), True), "os.remove": ((0,), True), "os.truncate": ((0,), True),
    "os.chmod": ((0,), True), "os.chown": ((0,), True), "os.utime": ((0,), True), "os.setxattr": ((0,), True),
    "os.rename": ((0, 1), True), "os.link": ((1,), True), "os.symlink": ((1,), True), "sqlite3.connect": ((0,), False),
}

# Events about anything else. The value is the position of what it is done to.
OTHERS = {
    "socket.__new__": 1, "socket.connect": 1, "socket.bind": 1, "socket.sendto": 1, "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0, "socket.gethostbyaddr": 0,
    "subprocess.Popen": 0, "os.system": 0, "os.exec": 0, "os.posix_spawn": 0, "os.spawn": 1, "os.fork": None,
    "os.forkpty": None, "pty.spawn": 0, "os.kill": 0, "os.killpg": 0,
    "ctypes.dlopen": 0, "ctypes.dlsym": 1,
}

# Events that Python code tells of before it does what it tells of: what comes
# of it shows when that code returns.
FROM_PYTHON = {"subprocess.Popen", "os.spawn", "pty.spawn"}

# Calls that end the process, or make another program of it, if they succeed:
# they are told of before they have an outcome.
MAY_NOT_RETURN = {"os.exec", "os.kill", "os.killpg", "os.system"}

MAX_ENTRIES = 200
entries = {}  # what was told of each, and how often it was tried
overflow = 0
over = False  # the script has ended, and what follows is our own
own_process = os.getpid()
realpath, normpath, join, getcwd, fsdecode = os.path.realpath, os.path.normpath, os.path.join, os.getcwd, os.fsdecode
frame_of, settrace, gettrace = sys._getframe, sys.settrace, sys.gettrace
ACCESS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def below(path, roots):
    for root in roots:
        if path == root or path.startswith(root + "/"):
            return True
    return False


def leads_out(path, change):
    """The path that a file event leads out to, None where it stays inside."""
    if isinstance(path, (int, type(None))):
        return None
    path = fsdecode(path)
    if path.startswith("/usr/") and not change and "/.." not in path:
        return None  # imports, mostly
    if path == ":memory:":
        return None
    path_here = join(getcwd(), path)
    try:
        real = realpath(path_here)
    except OSError:  # a link of another process, which is not to be read
        real = normpath(path_here)
    if not change and (real == "/" or below(real, ("/proc/%d" % os.getpid(),))):
        return None
    return None if below(real, WRITABLE if change else OWN) else cut(path if real == normpath(path) else path + " -> " + real)


def target_of(event, args):
    """What the event is about, None for what is not worth telling."""
    if event in PATHS:
        positions, change = PATHS[event]
        if event == "open":
            mode, flags = args[1], args[2]
            if isinstance(mode, str):
                change = any(c in mode for c in "wax+")
            else:
                change = bool((flags or 0) & ACCESS)
        for position in positions:
            path = leads_out(args[position], change)
            if path is not None:
                return path
        return None
    position = OTHERS[event]
    if position is None:
        return ""
    value = args[position]
    if event == "socket.__new__":
        return {1: "AF_UNIX", 2: "AF_INET", 10: "AF_INET6"}.get(value, "address family %s" % value)
    if event == "socket.getaddrinfo":
        return cut("%s:%s" % (args[0], args[1]))
    if event == "subprocess.Popen":
        words = args[1] if isinstance(args[1], (list, tuple)) else [args[1]]
        return cut(" ".join(w if isinstance(w, str) else fsdecode(w) if isinstance(w, (bytes, os.PathLike)) else repr(w) for w in words))
    if event in ("os.kill", "os.killpg"):
        return "process %s, signal %d" % (args[0], args[1])
    if event == "ctypes.dlopen":
        return None if value is None or "/.." not in str(value) and str(value).startswith("/usr/") else cut(str(value))
    if isinstance(value, tuple):
        return cut(":".join(str(v) for v in value))
    return cut(value if isinstance(value, str) else fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else repr(value))


def place_of(frame):
    """The line of the script's own code that leads to the frame."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(CODE + "/"):
            return "%s:%d" % (name[len(CODE) + 1:], frame.f_lineno)
        frame = frame.f_back
    return ""


def note(event, target, place, outcome, number=0, name=""):
    """Counts an attempt. It is told of at once when it is new, and again when
    it has been tried ten times as often: a script can be ended at any time."""
    global overflow
    key = (event, target, place, outcome, number, name)
    times = entries.get(key, 0)
    if not times and len(entries) >= MAX_ENTRIES:
        overflow += 1
        if power_of_ten(overflow):
            tell("overflow", times=overflow)
        return
    entries[key] = times + 1
    if power_of_ten(times + 1):
        tell_attempt(key)


def power_of_ten(n):
    while n % 10 == 0:
        n //= 10
    return n == 1


def tell_attempt(key):
    event, target, place, outcome, number, name = key
    tell("attempt", event=event, target=target, place=place, outcome=outcome, number=number, name=name, times=entries[key])


def at_end():
    if os.getpid() != own_process:
        return
    import resource as r

    most = max(r.getrusage(r.RUSAGE_SELF).ru_maxrss, r.getrusage(r.RUSAGE_CHILDREN).ru_maxrss)
    tell("usage", memory=most * 1024)
    for event, target, place, process, _ in list(pending.values()):
        if process == own_process:
            note(event, target, place, "unseen")
    for key, times in entries.items():
        if not power_of_ten(times):
            tell_attempt(key)
    if overflow:
        tell("overflow", times=overflow)


pending = {}  # what frames have begun and has no outcome yet
watched = {}  # how many such frames each thread has


def quiet(frame, what, value):
    """Traces nothing: only frames with a tracer of their own are looked at."""


def see(frame, event, target):
    """Looks at what comes of the call that the frame has begun: at the error
    that it sees itself. It looks by tracing, and only until that is known."""
    place, tracer, before = place_of(frame), gettrace(), pending.get(frame)
    if event == "ctypes.dlsym" or tracer not in (None, quiet) or before and before[0] in FROM_PYTHON:
        note(event, target, place, "unseen")  # native code, or somebody else traces
        return
    if event in MAY_NOT_RETURN:
        tell("attempt", event=event, target=target, place=place, outcome="unseen", number=0, name="", times=1)
    if before:
        settle(before, None)  # the frame is at its next call already
    else:
        watched[thread()] = watched.get(thread(), 0) + 1
    pending[frame] = [event, target, place, os.getpid(), None]
    frame.f_trace = trace
    settrace(quiet)


def trace(frame, what, value):
    """Gets what happens next in a frame that has begun a call."""
    try:
        return follow(frame, what, value)
    except Exception:  # it would be the script's
        return None


def follow(frame, what, value):
    record = pending.get(frame)
    if record is None:
        return None
    if what == "exception":
        record[4] = value[1] if isinstance(value[1], BaseException) else value[0]
    if record[0] in FROM_PYTHON:
        if what != "return":
            return trace
        if value is not None:
            record[4] = None  # it was dealt with
    del pending[frame]
    frame.f_trace = None
    watched[thread()] -= 1
    if not watched[thread()]:
        settrace(None)
    settle(record, record[4])
    return None


def settle(record, failed):
    event, target, place, process, _ = record
    if process == os.getpid():  # and not a child that was forked meanwhile
        conclude(event, target, place, failed)


def conclude(event, target, place, failed):
    if failed is None:
        note(event, target, place, "allowed")
    else:
        note(event, target, place, "refused", getattr(failed, "errno", None) or 0, type(failed).__name__)


def hook(event, args):
    if over or event not in PATHS and event not in OTHERS:
        return
    try:
        target, frame = target_of(event, args), frame_of(1)
        if event == "os.posix_spawn" and frame.f_globals.get("__name__") == "subprocess":
            return  # which has told of it already
        if target is not None:
            see(frame, event, target)
    except Exception:  # what cannot be described must not disturb the script
        try:
            note(event, "", "", "unseen")
        except Exception:
            pass  # at the limit of memory or of recursion


# ---- The script ----


def explain(error):
    """Tells of an error that the script did not catch, and prints it."""
    global over
    over = True
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if f.filename.startswith((CODE + "/", WORK + "/"))]
    shown = own[-MAX_FRAMES:]
    text = ["Traceback (most recent call last):\n"] if shown else []
    if len(shown) < len(own):
        text.append("  [… %d frames cut …]\n" % (len(own) - len(shown)))
    text += traceback.format_list(shown)
    last = traceback.format_exception_only(type(error), error)
    text += last
    text = "".join(text)
    message = str(error).split("\n", 1)[0]
    name = type(error).__name__
    if os.getpid() == own_process:
        tell("error", type=name, line=cut(name + ": " + message if message else name), traceback=text[-8000:],
             number=getattr(error, "errno", None) or 0)
    try:
        sys.stdout.flush()
    except OSError:
        pass
    sys.stderr.write(text)


def main():
    numbers = [int(n) for n in sys.argv[1:7]]
    path, args = CODE + "/" + sys.argv[7], sys.argv[8:]
    begin()
    limit(*numbers)
    os.closerange(REPORTS + 1, 1024)  # what whoever started us had open by accident
    sys.argv = [path] + args
    sys.path[0] = os.path.dirname(path)
    sys.path.insert(1, TOOLS)
    sys.stdout.reconfigure(line_buffering=True)
    module = type(sys)("__main__")
    module.__dict__.update(__file__=path, __builtins__=__builtins__)
    sys.modules["__main__"] = module
    atexit.register(at_end)
    try:
        with open(path, "rb") as f:
            source = f.read()
        code = compile(source, path, "exec", dont_inherit=True)
        sys.addaudithook(hook)
        # What works elsewhere at the last depth has to work with the hook, too.
        sys.setrecursionlimit(sys.getrecursionlimit() + 50)
        exec(code, module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        try:
            explain(error)
        except MemoryError:
            tell("error", type="MemoryError", line="MemoryError", traceback="", number=0)
        sys.exit(1)


main()
