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
