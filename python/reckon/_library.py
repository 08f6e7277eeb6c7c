"""libreckon by ctypes, which lets other threads of Python run while the library works."""
from __future__ import annotations

import ctypes
import math
import os
import re
import sys
import threading
import warnings
from pathlib import Path
from typing import Any, Callable, List, Optional, Sequence, Union

from . import _tables as tables
from ._tables import Status

Progress = Callable[[int, int, float], Any]


class ReckonWarning(UserWarning):
    """What was read and is not followed, or what is likely a mistake."""


class ReckonError(Exception):
    """What the library refuses.

    Attributes:
        status: what went wrong (Status).
        path: the file, None when none is involved.
        line, column: the place in it, from 1; None when not known.
        key: the argument or member that it is about, "" when it names none.
        have, need: two numbers that do not agree; None when none are known.
        text: what is wrong, and how to mend it.
        remedy: the part of the text that says how to mend it; "" when it does not.
    """

    def __init__(
        self, status: int, path: str, line: int, column: int, text: str,
        key: str = "", have: float = math.nan, need: float = math.nan,
    ) -> None:
        self.status = Status(status)
        self.key = key
        self.have: Optional[float] = None if math.isnan(have) else have
        self.need: Optional[float] = None if math.isnan(need) else need
        self.path: Optional[str] = path or None
        self.line: Optional[int] = line or None
        self.column: Optional[int] = column or None
        self.text = text
        self.remedy = _remedy(text)
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part) if path else ""
        super().__init__(f"{place}: {text}" if place else text)


class UsageError(ReckonError, ValueError):
    """A word, a name or an argument is wrong."""


class InputError(ReckonError, ValueError):
    """The content of a file, a model or a system is wrong."""


class FileError(ReckonError, OSError):
    """A file, a database or memory could not be had."""


class Interrupted(KeyboardInterrupt):
    """A search that was stopped; `result` is the best so far, None when there is none yet."""

    result: Any = None


_KINDS = {
    Status.BAD_ARGUMENT: UsageError, Status.BAD_INPUT: InputError,
    Status.IO: FileError, Status.NO_MEMORY: FileError,
}
_STOPPED = 130  # the exit status of what was stopped


def spoken(text: str) -> str:
    """What the command line says, with the names that Python has: --save-plan is save_plan,
    "reckon systems" is reckon.systems()."""

    def called(match: Any) -> str:
        flags = ", ".join(f"{flag.replace('-', '_')}=True" for flag in re.findall(r"--([\w-]+)", match[2]))
        return f"reckon.{match[1]}({flags})" if match[1] in FUNCTIONS else match[0]

    text = re.sub(r"reckon ([a-z]+) --help(-all)?", r"help(reckon.\1)", text)
    text = re.sub(r"[`\"]?\breckon ([a-z]+)((?: --[a-z][\w-]*)*)[`\"]?(?![\w-])", called, text)
    text = re.sub(r'--([a-z][\w-]*)[ =](none|learned|usual|yes|no|auto|[\d.]+[\w%]*)\b',
                  lambda m: f'{m[1].replace("-", "_")}="{m[2]}"', text)
    return re.sub(r"--([a-z][\w-]*)", lambda m: m[1].replace("-", "_"), text)


#: Functions of the module that are commands of the command line; the package sets it.
FUNCTIONS: Sequence[str] = ()


def _remedy(text: str) -> str:
    """Messages are "what is wrong: what to do" or "..., did you mean ...?"."""
    if "did you mean" in text:
        return text[text.index("did you mean") :]
    return text.rpartition(": ")[2] if ": " in text else ""


class _Error(ctypes.Structure):
    _fields_ = [
        ("status", ctypes.c_int),
        ("key", ctypes.c_char * tables.KEY_BYTES),
        ("path", ctypes.c_char * tables.PATH_BYTES),
        ("line", ctypes.c_int),
        ("column", ctypes.c_int),
        ("have", ctypes.c_double),
        ("need", ctypes.c_double),
        ("text", ctypes.c_char * tables.TEXT_BYTES),
    ]

    def exception(self, folder: str = "", raw: bool = False) -> ReckonError:
        path, text = _text(self.path), _text(self.text)
        if not raw:
            path, text = path.lstrip("-") if path.startswith("--") else path, spoken(text)
        if folder:
            path, text = path.replace(folder + os.sep, ""), text.replace(folder + os.sep, "")
        kind = _KINDS.get(self.status, ReckonError)
        return kind(
            self.status, path, self.line, self.column, text, _text(self.key), self.have, self.need
        )


class _Answer(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_int),
        ("text", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
        ("remarks", ctypes.c_char_p),
        ("error", _Error),
    ]


_PROGRESS = ctypes.CFUNCTYPE(
    ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_double
)


def _text(data: Optional[bytes]) -> str:
    return (data or b"").decode("utf-8", "replace")


def _load() -> ctypes.CDLL:
    given = os.environ.get("RECKON_LIBRARY")
    beside = Path(__file__).with_name("libreckon.so")
    library = ctypes.CDLL(given or str(beside if beside.exists() else "libreckon.so.0"))
    assert ctypes.sizeof(_Error) == tables.ERROR_BYTES
    assert ctypes.sizeof(_Answer) == tables.ANSWER_BYTES
    strings = ctypes.POINTER(ctypes.c_char_p)
    error = ctypes.POINTER(_Error)
    library.rk_command.argtypes = [
        ctypes.c_int, strings, _PROGRESS, ctypes.c_void_p, ctypes.POINTER(_Answer),
    ]
    library.rk_command_release.argtypes = [ctypes.POINTER(_Answer)]
    library.rk_command_release.restype = None
    for function in (library.rk_model_text, library.rk_system_text):
        function.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), error]
    library.rk_text_free.argtypes = [ctypes.c_void_p]
    library.rk_text_free.restype = None
    library.rk_plan_members.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), error]
    library.rk_predict_rows.argtypes = [
        ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint64, strings, ctypes.c_size_t, strings,
        ctypes.c_size_t, ctypes.c_int, ctypes.POINTER(ctypes.c_double),
        ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_void_p), error,
    ]
    return library


_library = _load()
_running = threading.local()


def _bytes(word: str) -> bytes:
    """A char *; names of files come back as they were read (os.fsencode). C would end it at a NUL."""
    try:
        data = os.fspath(word)
        data = data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise UsageError(Status.BAD_ARGUMENT, "", 0, 0, f"{word!r} holds half a character (a surrogate): remove it") from None
    if b"\0" in data:
        raise UsageError(Status.BAD_ARGUMENT, "", 0, 0, f"{word!r} holds a NUL character: remove it")
    return data


def _strings(words: Sequence[str]) -> Any:
    """An array of char *."""
    return (ctypes.c_char_p * max(1, len(words)))(*[_bytes(word) for word in words])


class _Watch:
    """The progress of a command: handed on, and Ctrl-C as a wish to stop."""

    def __init__(self, progress: Union[Progress, bool, None]) -> None:
        self.progress = _bar if progress is True else progress or None
        self.failure: Optional[BaseException] = None

    def __call__(self, context: Any, done: int, total: int, best_s: float) -> bool:
        try:
            return self.progress is None or self.progress(done, total, best_s) is not False
        except BaseException as failure:  # KeyboardInterrupt too: C has no exceptions
            self.failure = failure
            return False


def _bar(done: int, total: int, best_s: float) -> None:
    if total:
        print(f"\r{done} of {total} plans, best {best_s:.4g} s ", end="", file=sys.stderr)


def _outside() -> int:
    """How many calls above warn() the caller of this module is."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        depth, frame = depth + 1, frame.f_back
    return depth


class Output:
    """What a command printed, and its exit status."""

    def __init__(self, code: int, text: str, remarks: List[str]) -> None:
        self.code, self.text, self.remarks = code, text, remarks


def command(
    words: Sequence[str], progress: Union[Progress, bool, None] = None, folder: str = "",
    raw: bool = False,
) -> Output:
    """`reckon WORD...` in this process: what it prints, byte by byte. What it refuses is raised.

    `progress(done, total, best_s)` is called now and then; returning False stops the command, whose
    exit status is then 130. Paths below `folder` are named without it. `raw`: messages as the
    command line has them.
    """
    if getattr(_running, "now", False):
        raise RuntimeError("progress() cannot ask: the library is at work")
    answer, watch = _Answer(), _Watch(progress)
    _running.now = True
    try:
        _library.rk_command(
            len(words), _strings(words), _PROGRESS(watch), None, ctypes.byref(answer)
        )
        text = ctypes.string_at(answer.text, answer.bytes).decode() if answer.text else ""
        remarks = _text(answer.remarks)
        error = answer.error.exception(folder, raw) if answer.error.status else None
        code = answer.code
    finally:
        _running.now = False
        _library.rk_command_release(ctypes.byref(answer))
    if watch.failure is not None and not isinstance(watch.failure, KeyboardInterrupt):
        raise watch.failure
    if error is not None and code not in (0, _STOPPED):
        raise error
    lines = [line.replace(folder + os.sep, "") if folder else line for line in remarks.splitlines()]
    for line in lines:
        if line.startswith("reckon: warning: "):
            said = line[len("reckon: warning: ") :]
            warnings.warn(said if raw else spoken(said), ReckonWarning, stacklevel=_outside())
    if watch.failure is not None:
        code = _STOPPED
    return Output(code, text, lines)


def _taken(text: Any) -> str:
    """A text of the library, which is freed."""
    try:
        return ctypes.string_at(text).decode()
    finally:
        _library.rk_text_free(text)


def document_text(kind: str, name: str, folder: str = "") -> str:
    """A model or a system ("model", "system") as the text of its file."""
    text, error = ctypes.c_void_p(), _Error()
    function = getattr(_library, f"rk_{kind}_text")
    if function(_bytes(name), ctypes.byref(text), ctypes.byref(error)) != Status.OK:
        raise error.exception(folder)
    return _taken(text.value)


def plan_members(words: str) -> str:
    """Every choice of a plan of words, as JSON."""
    text, error = ctypes.c_void_p(), _Error()
    if _library.rk_plan_members(_bytes(words), ctypes.byref(text), ctypes.byref(error)) != Status.OK:
        raise error.exception()
    return _taken(text.value)


def predict_rows(
    model: str, system: str, gpus: int, lines: Sequence[str], figures: Sequence[str], threads: int,
    folder: str = "",
) -> Any:
    """Of rk_predict_rows(): the values line by line, the verdicts, and why a line cannot run."""
    values = (ctypes.c_double * max(1, len(lines) * len(figures)))()
    verdicts = (ctypes.c_int * max(1, len(lines)))()
    reasons = (ctypes.c_void_p * max(1, len(lines)))()
    error = _Error()
    status = _library.rk_predict_rows(
        _bytes(model), _bytes(system), gpus, _strings(lines), len(lines),
        _strings(figures), len(figures), threads, values, verdicts, reasons, ctypes.byref(error),
    )
    said = [spoken(_taken(text)) if text else None for text in reasons[: len(lines)]]
    if status != Status.OK:
        raise error.exception(folder)
    return values, verdicts, said
