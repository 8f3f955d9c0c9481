"""What a script of a learned program can do: use the desktop, and read files.

    from opendesk_tools import *

    print(help())  # every function, with what it returns and an example

The functions of the desktop do what the steps of a program do, under the same
rules, and are written into the run's audit log. Where one cannot be done it
raises ToolError, and what is not caught fails the step with its message. Files
of the project are found by find() and read by read(); what the script makes is
saved by save_result(), and the rest of the machine is out of reach.

Each call counts, and there are 500 of them. Only the script itself can make
them, in one thread or several; processes that it starts cannot.

Written by opendesk out of its table of tools: changes to this file are lost.
"""
from __future__ import annotations

import json as _json
import os as _os
import pathlib as _pathlib
import subprocess as _subprocess
import sys as _sys
import threading as _threading

_FD = int(_os.environ.get("OPENDESK_TOOLS_FD", "-1"))
_ARCHIVE = _pathlib.Path(_os.environ.get("OPENDESK_ARCHIVE", ".")).resolve()
_WORK = _pathlib.Path(_os.environ.get("OPENDESK_WORK", ".")).resolve()
_OWNER = _os.getpid()
_LOCK = _threading.Lock()
_PDF_SECONDS = 20


class ToolError(RuntimeError):
    """A call that could not be done.

    kind says what sort of thing went wrong, such as "target_not_found",
    "app_not_found" or "action_refused"; the message says what and why."""

    def __init__(self, kind: str, message: str):
        super().__init__(message)
        self.kind = kind


class CallLimitError(ToolError):
    """There were more calls than a script may make.

    Do less, or split the work into several steps: each has its own calls."""


def _call(tool: str, action: str, params: dict, target: dict | None = None, timeout_ms: int | None = None):
    """Has opendesk do one thing and gives what came of it."""
    if _os.getpid() != _OWNER:
        raise RuntimeError("only the script itself can call opendesk_tools, not a process that it has started: "
                           "make the call in the script and hand its result over")
    request = {"tool": tool, "action": action, "params": {k: v for k, v in params.items() if v is not None}}
    target = {k: v for k, v in (target or {}).items() if v is not None}
    if target:
        request["target"] = target
    if timeout_ms is not None:
        request["timeout_ms"] = timeout_ms
    line = _json.dumps(request).encode() + b"\n"
    with _LOCK:
        _send(line)
        answer = _json.loads(_receive())
    error = answer.get("error")
    if error is not None:
        kind = error.get("kind", "")
        raise (CallLimitError if kind == "call_limit" else ToolError)(kind, error.get("message", ""))
    return answer.get("value")


def _send(line: bytes):
    if _FD < 0:
        raise RuntimeError("opendesk_tools works in a script that opendesk runs (see 'opendesk learn run')")
    while line:
        line = line[_os.write(_FD, line):]


def _receive() -> bytes:
    parts = []
    while True:
        part = _os.read(_FD, 1 << 16)
        if not part:
            raise RuntimeError("opendesk does not answer any more")
        parts.append(part)
        if part.endswith(b"\n"):
            return b"".join(parts)


def _inside(root: _pathlib.Path, path, what: str) -> _pathlib.Path:
    """The path below the root, whatever links and dots are on the way."""
    if not isinstance(path, (str, _os.PathLike)):
        raise TypeError(f"a path is a text, not {type(path).__name__}")
    resolved = (root / path).resolve()
    if resolved != root and root not in resolved.parents:
        raise PermissionError(f"'{path}' is outside of {what}: use a path inside, such as invoices/f001.txt")
    return resolved


def find(pattern: str, limit: int = 200) -> list:
    """Finds files of the project by a pattern (glob).

    Returns their paths relative to the project, sorted, at most `limit` of them.
    `*` is any part of a name, `**` any folders. Folders, and what is hidden
    unless the pattern names it, are not found. Where nothing matches, the list is
    empty: that is no error. Raises PermissionError for a pattern that leads out
    of the project.
    Example: find("invoices/2026/03/*.pdf")  # ["invoices/2026/03/f001.pdf", ...]"""
    _call("files", "find", {"pattern": pattern, "limit": limit})
    parts = _pathlib.PurePath(pattern).parts
    if not parts:
        raise ValueError("the pattern is empty: use one such as invoices/*.pdf, or **/* for every file")
    if _pathlib.PurePath(pattern).is_absolute() or ".." in parts:
        raise PermissionError(f"'{pattern}' is outside of the project: use a pattern inside, such as invoices/*.pdf")
    hidden = any(part.startswith(".") for part in parts)
    found = []
    for path in _ARCHIVE.glob(pattern):
        relative = path.relative_to(_ARCHIVE)
        if not hidden and any(part.startswith(".") for part in relative.parts):
            continue
        try:
            resolved = path.resolve()
            if _ARCHIVE in resolved.parents and resolved.is_file():
                found.append(relative.as_posix())
        except OSError:  # a link to itself, or a folder that may not be read
            continue
    return sorted(found)[:limit]


def read(path: str, max_chars: int = 200_000, encoding: str = "utf-8") -> str:
    """Reads a file of the project and returns it as text: text, Markdown or PDF.

    A PDF is converted. Of a file with more than `max_chars` characters it returns
    the beginning, and a last line that says how much is missing. Raises
    FileNotFoundError, which names what is in the folder, PermissionError for a
    path outside of the project, and ValueError for what is no text.
    Example: text = read("invoices/2026/03/f001.pdf")"""
    _call("files", "read", {"path": str(path)})
    file = _inside(_ARCHIVE, path, "the project")
    if not file.exists():
        folder = file.parent
        while not folder.is_dir():
            folder = folder.parent
        names = sorted(p.name + ("/" if p.is_dir() else "") for p in folder.iterdir() if not p.name.startswith("."))
        shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        where = "the project" if folder == _ARCHIVE else "'" + folder.relative_to(_ARCHIVE).as_posix() + "'"
        raise FileNotFoundError(f"there is no '{path}'; in {where} there is: {shown or 'nothing'}")
    if file.is_dir():
        raise IsADirectoryError(f"'{path}' is a folder: find('{path}/*') lists its files")
    data = file.read_bytes()
    text = _pdf(file, path) if data[:5] == b"%PDF-" else _text(data, path, encoding)
    if len(text) <= max_chars:
        return text
    return text[:max_chars] + f"\n[... {len(text) - max_chars} characters cut ...]"


def _text(data: bytes, path, encoding: str) -> str:
    if b"\0" in data and not encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32")):
        raise ValueError(f"'{path}' is no text: it holds NUL bytes (read() takes text, Markdown and PDF)")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as e:
        raise ValueError(f"'{path}' is no {encoding} at byte {e.start}: give its encoding, as in "
                         f"read('{path}', encoding='cp1252')") from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def _pdf(file: _pathlib.Path, path) -> str:
    try:
        done = _subprocess.run(["/usr/bin/pdftotext", "-q", "-enc", "UTF-8", str(file), "-"], stdin=_subprocess.DEVNULL,
                               capture_output=True, timeout=_PDF_SECONDS)
    except FileNotFoundError:
        raise RuntimeError(f"'{path}' is a PDF, and pdftotext is not installed "
                           "(Debian/Ubuntu: apt-get install poppler-utils)") from None
    except _subprocess.TimeoutExpired:
        raise ValueError(f"'{path}' was not converted within {_PDF_SECONDS} s") from None
    if done.returncode != 0:
        raise ValueError(f"'{path}' is no PDF that can be read: {done.stderr.decode(errors='replace').strip() or 'pdftotext failed'}")
    return done.stdout.decode("utf-8", errors="replace")


def save_result(name: str, text: str) -> str:
    """Saves a text as a file of the result, and returns the file's path.

    The file goes into the script's work folder, below which `name` may name
    folders, and is kept with the results of the run; one of the same name is
    replaced. Raises PermissionError for a name that leads out of that folder. A
    postcondition file_contains looks into it.
    Example: save_result("unpaid.txt", "3 unpaid, total 4820.00")"""
    if not isinstance(text, str):
        raise TypeError(f"save_result() saves a text, not {type(text).__name__}: use str() or json.dumps()")
    _call("files", "save", {"name": str(name), "characters": len(text)})
    file = _inside(_WORK, name, "the work folder")
    if file == _WORK or file.is_dir():
        raise IsADirectoryError(f"'{name}' is a folder: name a file, such as unpaid.txt")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return str(file)


def help(name: str | None = None) -> str:
    """Returns what there is to know of every function, or of the one of that name.

    Raises ValueError for a name that there is not.
    Example: print(help("read"))"""
    import inspect

    module = _sys.modules[__name__]
    names = [n for n in __all__ if inspect.isfunction(getattr(module, n))]
    if name is not None and name not in names:
        raise ValueError(f"there is no function {name!r}: there are {', '.join(names)}")
    texts = []
    for n in names if name is None else [name]:
        function = getattr(module, n)
        doc = "\n    ".join((inspect.getdoc(function) or "").splitlines())
        texts.append(f"{n}{inspect.signature(function)}\n    {doc}".replace("\n    \n", "\n\n"))
    return "\n\n".join(texts)


def app_open(name: str) -> None:
    """Open the application and wait until it has a window.

    Returns nothing. One that runs already is left as it is, and is no error. Raises ToolError where
    it cannot be done.
    Example: app_open("Numbers")

    name: The application: a name from eval.yaml, a command, the path of an executable, or an
        installed application's id or name."""
    _call("app", "open", {"name": name})


def app_close(name: str) -> None:
    """Close the application's windows.

    Returns nothing. One that asks back, such as for changes to be saved, is ended. Raises ToolError
    where it cannot be done.
    Example: app_close("Numbers")

    name: The application: a name from eval.yaml, a command, the path of an executable, or an
        installed application's id or name."""
    _call("app", "close", {"name": name})


def app_focus(name: str) -> None:
    """Bring the application's window to the front; on a virtual display an application that is not running is opened.

    Returns nothing. Raises ToolError where it cannot be done.
    Example: app_focus("Numbers")

    name: The application: a name from eval.yaml, a command, the path of an executable, or an
        installed application's id or name."""
    _call("app", "focus", {"name": name})


def app_list() -> list:
    """List the running applications.

    Returns the names, sorted; an empty list where none runs. Raises ToolError where it cannot be
    done.
    Example: app_list()  # ["Mousepad", "Numbers"]"""
    return _call("app", "list", {})


def clipboard_write(text: str) -> None:
    """Put a text on the clipboard.

    Returns nothing. Raises ToolError where it cannot be done.
    Example: clipboard_write("Ada")

    text: The text to put there."""
    _call("clipboard", "write", {"text": text})


def clipboard_read() -> str:
    """Read the clipboard.

    Returns its text, "" where it holds none. Raises ToolError where it cannot be done.
    Example: text = clipboard_read()"""
    return _call("clipboard", "read", {})


def keyboard_type(
    text: str,
    *,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Type a text.

    Returns nothing. The keys go to what has the keyboard focus, or to the element that is named. An
    element that is named is looked for until timeout_ms is over; ToolError names the closest ones
    then.
    Example: keyboard_type("Ada", app="Mousepad")

    text: The text to type, any Unicode.
    app: The application that gets the keys: it is brought to the front before.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("keyboard", "type", {"text": text}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def keyboard_press(
    key: str,
    *,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Press and release one key.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: keyboard_press("return")

    key: The key to press. A name such as return or page_up, a single character, or an X keysym
        name.
    app: The application that gets the keys: it is brought to the front before.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("keyboard", "press", {"key": key}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def keyboard_hotkey(
    keys: list,
    *,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Press keys together.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: keyboard_hotkey(["ctrl", "s"], app="Mousepad")

    keys: The keys in the order in which they go down, modifiers first, such as ["ctrl", "s"].
    app: The application that gets the keys: it is brought to the front before.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("keyboard", "hotkey", {"keys": keys}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def keyboard_hold(
    key: str,
    *,
    hold_duration: float = 1,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Hold one key down for a while.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: keyboard_hold("down", hold_duration=0.5)

    key: The key to hold. A name such as return or page_up, a single character, or an X keysym
        name.
    hold_duration: How long the key is down. In seconds.
    app: The application that gets the keys: it is brought to the front before.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("keyboard", "hold", {"key": key, "hold_duration": hold_duration}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def mouse_move(
    x: float | None = None,
    y: float | None = None,
    *,
    image_width: int | None = None,
    image_height: int | None = None,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Move the pointer.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: mouse_move(640, 400)

    x: A coordinate on the screen, or in a screenshot of image_width by image_height.
    y: A coordinate on the screen, or in a screenshot of image_width by image_height.
    image_width: The size of the screenshot that the coordinates were read from; they are scaled
        to the screen by it.
    image_height: The size of the screenshot that the coordinates were read from; they are
        scaled to the screen by it.
    app: The application that is meant, or that the element is in.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("mouse", "move", {"x": x, "y": y, "image_width": image_width, "image_height": image_height}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def mouse_click(
    x: float | None = None,
    y: float | None = None,
    *,
    image_width: int | None = None,
    image_height: int | None = None,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Click with the left button.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: mouse_click(app="Numbers", role="button", title="PDF")

    x: A coordinate on the screen, or in a screenshot of image_width by image_height.
    y: A coordinate on the screen, or in a screenshot of image_width by image_height.
    image_width: The size of the screenshot that the coordinates were read from; they are scaled
        to the screen by it.
    image_height: The size of the screenshot that the coordinates were read from; they are
        scaled to the screen by it.
    app: The application that is meant, or that the element is in.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("mouse", "click", {"x": x, "y": y, "image_width": image_width, "image_height": image_height}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def mouse_double_click(
    x: float | None = None,
    y: float | None = None,
    *,
    image_width: int | None = None,
    image_height: int | None = None,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Click twice with the left button.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: mouse_double_click(app="Numbers", title="report.csv")

    x: A coordinate on the screen, or in a screenshot of image_width by image_height.
    y: A coordinate on the screen, or in a screenshot of image_width by image_height.
    image_width: The size of the screenshot that the coordinates were read from; they are scaled
        to the screen by it.
    image_height: The size of the screenshot that the coordinates were read from; they are
        scaled to the screen by it.
    app: The application that is meant, or that the element is in.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("mouse", "double_click", {"x": x, "y": y, "image_width": image_width, "image_height": image_height}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def mouse_triple_click(
    x: float | None = None,
    y: float | None = None,
    *,
    image_width: int | None = None,
    image_height: int | None = None,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Click three times with the left button.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: mouse_triple_click(640, 400)

    x: A coordinate on the screen, or in a screenshot of image_width by image_height.
    y: A coordinate on the screen, or in a screenshot of image_width by image_height.
    image_width: The size of the screenshot that the coordinates were read from; they are scaled
        to the screen by it.
    image_height: The size of the screenshot that the coordinates were read from; they are
        scaled to the screen by it.
    app: The application that is meant, or that the element is in.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("mouse", "triple_click", {"x": x, "y": y, "image_width": image_width, "image_height": image_height}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def mouse_right_click(
    x: float | None = None,
    y: float | None = None,
    *,
    image_width: int | None = None,
    image_height: int | None = None,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Click with the right button.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: mouse_right_click(app="Numbers", title="report.csv")

    x: A coordinate on the screen, or in a screenshot of image_width by image_height.
    y: A coordinate on the screen, or in a screenshot of image_width by image_height.
    image_width: The size of the screenshot that the coordinates were read from; they are scaled
        to the screen by it.
    image_height: The size of the screenshot that the coordinates were read from; they are
        scaled to the screen by it.
    app: The application that is meant, or that the element is in.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("mouse", "right_click", {"x": x, "y": y, "image_width": image_width, "image_height": image_height}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def mouse_middle_click(
    x: float | None = None,
    y: float | None = None,
    *,
    image_width: int | None = None,
    image_height: int | None = None,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Click with the middle button.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: mouse_middle_click(640, 400)

    x: A coordinate on the screen, or in a screenshot of image_width by image_height.
    y: A coordinate on the screen, or in a screenshot of image_width by image_height.
    image_width: The size of the screenshot that the coordinates were read from; they are scaled
        to the screen by it.
    image_height: The size of the screenshot that the coordinates were read from; they are
        scaled to the screen by it.
    app: The application that is meant, or that the element is in.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("mouse", "middle_click", {"x": x, "y": y, "image_width": image_width, "image_height": image_height}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def mouse_left_down(
    x: float | None = None,
    y: float | None = None,
    *,
    image_width: int | None = None,
    image_height: int | None = None,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Press the left button and keep it down.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: mouse_left_down(640, 400)

    x: A coordinate on the screen, or in a screenshot of image_width by image_height.
    y: A coordinate on the screen, or in a screenshot of image_width by image_height.
    image_width: The size of the screenshot that the coordinates were read from; they are scaled
        to the screen by it.
    image_height: The size of the screenshot that the coordinates were read from; they are
        scaled to the screen by it.
    app: The application that is meant, or that the element is in.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("mouse", "left_down", {"x": x, "y": y, "image_width": image_width, "image_height": image_height}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def mouse_left_up(
    x: float | None = None,
    y: float | None = None,
    *,
    image_width: int | None = None,
    image_height: int | None = None,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Release the left button.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: mouse_left_up(700, 400)

    x: A coordinate on the screen, or in a screenshot of image_width by image_height.
    y: A coordinate on the screen, or in a screenshot of image_width by image_height.
    image_width: The size of the screenshot that the coordinates were read from; they are scaled
        to the screen by it.
    image_height: The size of the screenshot that the coordinates were read from; they are
        scaled to the screen by it.
    app: The application that is meant, or that the element is in.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("mouse", "left_up", {"x": x, "y": y, "image_width": image_width, "image_height": image_height}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def mouse_scroll(
    x: float | None = None,
    y: float | None = None,
    *,
    direction: str | None = None,
    amount: int = 3,
    image_width: int | None = None,
    image_height: int | None = None,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Turn the wheel.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: mouse_scroll(640, 400, direction="down", amount=3)

    x: A coordinate on the screen, or in a screenshot of image_width by image_height.
    y: A coordinate on the screen, or in a screenshot of image_width by image_height.
    direction: Where to scroll; without it the sign of amount says it, up where it is positive.
        One of up, down, left, right.
    amount: How far to scroll.
    image_width: The size of the screenshot that the coordinates were read from; they are scaled
        to the screen by it.
    image_height: The size of the screenshot that the coordinates were read from; they are
        scaled to the screen by it.
    app: The application that is meant, or that the element is in.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("mouse", "scroll", {"x": x, "y": y, "direction": direction, "amount": amount, "image_width": image_width, "image_height": image_height}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def mouse_drag(
    end_x: float,
    end_y: float,
    x: float | None = None,
    y: float | None = None,
    *,
    image_width: int | None = None,
    image_height: int | None = None,
    duration: float = 0.25,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Press the left button at one place and release it at another.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: mouse_drag(x=100, y=100, end_x=300, end_y=100)

    end_x: A coordinate on the screen, or in a screenshot of image_width by image_height.
    end_y: A coordinate on the screen, or in a screenshot of image_width by image_height.
    x: A coordinate on the screen, or in a screenshot of image_width by image_height.
    y: A coordinate on the screen, or in a screenshot of image_width by image_height.
    image_width: The size of the screenshot that the coordinates were read from; they are scaled
        to the screen by it.
    image_height: The size of the screenshot that the coordinates were read from; they are
        scaled to the screen by it.
    duration: How long the motion takes. In seconds.
    app: The application that is meant, or that the element is in.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("mouse", "drag", {"end_x": end_x, "end_y": end_y, "x": x, "y": y, "image_width": image_width, "image_height": image_height, "duration": duration}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def mouse_cursor_position(
    x: float | None = None,
    y: float | None = None,
    *,
    image_width: int | None = None,
    image_height: int | None = None,
) -> list:
    """Read where the pointer is.

    Returns x and y in screen pixels. Raises ToolError where it cannot be done.
    Example: x, y = mouse_cursor_position()

    x: A coordinate on the screen, or in a screenshot of image_width by image_height.
    y: A coordinate on the screen, or in a screenshot of image_width by image_height.
    image_width: The size of the screenshot that the coordinates were read from; they are scaled
        to the screen by it.
    image_height: The size of the screenshot that the coordinates were read from; they are
        scaled to the screen by it."""
    return _call("mouse", "cursor_position", {"x": x, "y": y, "image_width": image_width, "image_height": image_height})


def ui_click(
    *,
    window_index: int = 1,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Click the target: by its native action where it has one, else by the pointer.

    Returns nothing. That the click was done says nothing of what came of it: read something that
    must have changed. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: ui_click(app="Numbers", role="button", title="PDF")

    window_index: The application's window, counted from the front: the second and later ones
        are brought to the front, and nothing is looked up in another; 1 is the frontmost, which is
        looked at first.
    app: The application that is meant, or that the element is in.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("ui", "click", {"window_index": window_index}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def ui_click_menu(
    *,
    menu: str | None = None,
    menu_item: str | None = None,
    path: list | None = None,
    window_index: int = 1,
    app: str | None = None,
) -> None:
    """Choose an item of the target application's menu bar.

    Returns nothing. Raises ToolError where it cannot be done.
    Example: ui_click_menu(app="Numbers", menu="File", menu_item="Export To > PDF")

    menu: The menu in the menu bar, such as File.
    menu_item: The item in it; " > " or " → " leads into nested menus, as in "Export To >
        PDF".
    path: The whole way from the menu bar, in place of menu and menu_item, such as ["File",
        "Export To", "PDF"].
    window_index: The application's window, counted from the front: the second and later ones
        are brought to the front, and nothing is looked up in another; 1 is the frontmost, which is
        looked at first.
    app: The application that is meant, or that the element is in."""
    _call("ui", "click_menu", {"menu": menu, "menu_item": menu_item, "path": path, "window_index": window_index}, {"app": app})


def ui_type(
    text: str,
    *,
    window_index: int = 1,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Type a text into the target application.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: ui_type("Ada", app="Mousepad")

    text: The text to type, any Unicode.
    window_index: The application's window, counted from the front: the second and later ones
        are brought to the front, and nothing is looked up in another; 1 is the frontmost, which is
        looked at first.
    app: The application that gets the keys: it is brought to the front before.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("ui", "type", {"text": text, "window_index": window_index}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def ui_press_key(
    key: str,
    *,
    modifiers: list | None = None,
    window_index: int = 1,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> None:
    """Press one key, with modifiers, in the target application.

    Returns nothing. An element that is named is looked for until timeout_ms is over; ToolError
    names the closest ones then.
    Example: ui_press_key("s", modifiers=["ctrl"], app="Mousepad")

    key: The key to press. A name such as return or page_up, a single character, or an X keysym
        name.
    modifiers: The modifiers that are down meanwhile; command and cmd mean ctrl.
    window_index: The application's window, counted from the front: the second and later ones
        are brought to the front, and nothing is looked up in another; 1 is the frontmost, which is
        looked at first.
    app: The application that gets the keys: it is brought to the front before.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    _call("ui", "press_key", {"key": key, "modifiers": modifiers, "window_index": window_index}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def ui_get_value(
    *,
    window_index: int = 1,
    app: str | None = None,
    role: str | None = None,
    title: str | None = None,
    identifier: str | None = None,
    ref: str | None = None,
    timeout_ms: int = 5000,
) -> str:
    """Read the target's value, else its text, else its name.

    Returns it as a text; "" for a password field, whatever is in it. An element that is named is
    looked for until timeout_ms is over; ToolError names the closest ones then.
    Example: total = ui_get_value(app="Numbers", role="label", identifier="total")

    window_index: The application's window, counted from the front: the second and later ones
        are brought to the front, and nothing is looked up in another; 1 is the frontmost, which is
        looked at first.
    app: The application that is meant, or that the element is in.
    role: The element's role, such as button.
    title: The element's title: exact matches win over those that contain it.
    identifier: The element's accessibility identifier.
    ref: The element's place in the tree, as ui_get_tree() gives it.
    timeout_ms: How long the element is looked for. In milliseconds."""
    return _call("ui", "get_value", {"window_index": window_index}, {"app": app, "role": role, "title": title, "identifier": identifier, "ref": ref}, timeout_ms)


def ui_get_tree(*, window_index: int = 1, app: str | None = None) -> list:
    """Read the elements of an application, or of all.

    Returns the elements in the order of the tree, each a dict with depth, role, name and, where
    there is something, value, text, identifier, states, ref and app. At most 2,000 elements, and of
    each text the first 2,000 characters. An application that does not run gives an empty list.
    Raises ToolError where it cannot be done.
    Example: names = [e["name"] for e in ui_get_tree(app="Numbers") if e["role"] == "push button"]

    window_index: The application's window, counted from the front: the second and later ones
        are brought to the front, and nothing is looked up in another; 1 is the frontmost, which is
        looked at first.
    app: The application that is meant, or that the element is in."""
    return _call("ui", "get_tree", {"window_index": window_index}, {"app": app})


def wait(*, ms: int | None = None, seconds: float | None = None) -> None:
    """Wait.

    Returns nothing. Calls that look for an element wait for it by themselves: waiting is hardly
    ever needed. Raises ToolError where it cannot be done.
    Example: wait(seconds=0.5)

    ms: How long to wait. In milliseconds.
    seconds: How long to wait, in seconds; ms wins over it. In seconds."""
    _call("wait", "", {"ms": ms, "seconds": seconds})


__all__ = [
    "find",
    "read",
    "save_result",
    "help",
    "ToolError",
    "CallLimitError",
    "app_open",
    "app_close",
    "app_focus",
    "app_list",
    "clipboard_write",
    "clipboard_read",
    "keyboard_type",
    "keyboard_press",
    "keyboard_hotkey",
    "keyboard_hold",
    "mouse_move",
    "mouse_click",
    "mouse_double_click",
    "mouse_triple_click",
    "mouse_right_click",
    "mouse_middle_click",
    "mouse_left_down",
    "mouse_left_up",
    "mouse_scroll",
    "mouse_drag",
    "mouse_cursor_position",
    "ui_click",
    "ui_click_menu",
    "ui_type",
    "ui_press_key",
    "ui_get_value",
    "ui_get_tree",
    "wait",
]
