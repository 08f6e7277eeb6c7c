"""Predict the time and memory of training plans of large language models, and find the best one.

    import reckon
    p = reckon.predict("llama3.1-8b", "h100-sxm5-80g", "tp2 gbs64 zero1", gpus=8)
    print(p.step_s, p.figures.mfu)

Models and systems are names of the catalog, files, or the objects that model() and system() give,
to be changed and given back. All answers come from the library libreckon: Python works nothing
out. docs/python.md has examples.
"""
from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import itertools
import json
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from . import _library, _record, _tables
from ._library import (
    FileError,
    InputError,
    Interrupted,
    Output,
    Progress,
    ReckonError,
    ReckonWarning,
    UsageError,
)
from ._record import Columns, Record, Rows, convert, drawn, table
from ._tables import UNITS, VERDICTS, WORDS, Figures, Model, Plan, Status

if TYPE_CHECKING:
    from typing_extensions import Unpack

__version__ = _tables.VERSION
_F = TypeVar("_F", bound=Callable[..., Any])
__all__ = [
    "ask", "budget", "charts", "check", "command", "diff", "export", "fits", "import_hf",
    "layerwise", "longest", "model", "models", "plot", "predict", "predict_many", "prices", "program", "report", "search",
    "serve", "study", "sweep", "system", "systems", "timeline",
    "Check", "Columns", "Figures", "FileError", "Fits", "InputError", "Interrupted", "Model", "Plan", "Plot",
    "Prediction", "Program", "ReckonError", "ReckonWarning", "Record", "Reply", "Rows", "Search", "Status", "Study",
    "System", "UsageError", "UNITS", "VERDICTS",
]


@dataclass
class System:
    """A machine: the keys of its file, reckon-system(5), in `document`, to be read and changed:
    `s["networks"][0]["bandwidth_GBps"] = 400`."""

    id: str = "system"
    document: Dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Any:
        return self.document[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.document[key] = value

    def to_json(self) -> str:
        """The text of its file."""
        return json.dumps(self.document, indent=4)

    def _repr_html_(self) -> str:
        return table([], [[key, json.dumps(value)] for key, value in self.document.items()])


ModelLike = Union[str, os.PathLike, Model, Mapping[str, Any]]
SystemLike = Union[str, os.PathLike, System, Mapping[str, Any]]
PlanLike = Union[str, os.PathLike, Plan, Mapping[str, Any]]


# ---- answers ----


class Answer:
    """What the library answered: `json` is what the command line prints, byte by byte, and
    `print(answer)` shows what it shows on a terminal."""

    json: str
    _question: Optional[Callable[[Any], List[str]]] = None  # from _Inputs to words

    def to_dict(self) -> Dict[str, Any]:
        return json.loads(self.json)

    def _rows(self) -> Rows:
        """The main table."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The main table as a pandas.DataFrame; plans in one line."""
        return self._rows().to_pandas()

    def __str__(self) -> str:
        if self._question is None:
            return repr(self)
        with _inputs() as inputs:
            return _library.command(self._question(inputs), None, inputs.folder).text.rstrip("\n")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What a notebook keeps as text."""
        printer.text(str(self))


_A = TypeVar("_A", bound=Answer)


def _kept(answer: _A, question: Callable[[Any], List[str]]) -> _A:
    answer._question = question
    return answer


@dataclass
class Prediction(Answer):
    """A step under a plan. Figures (UNITS has their units) are also members: p.step_s."""

    by: str  #: which predictor answered: reckon or calculon
    fits: bool
    verdict: str  #: one of VERDICTS
    plan_words: str  #: the plan in one line
    assumed: Optional[str]  #: what was not said, and was taken
    plan: Plan
    figures: Figures
    stages: Rows  #: of the pipeline: time, and memory by what it holds
    reasons: Rows  #: why it cannot run
    rates: Optional[Record]
    error_bar: Optional[Record]  #: of step_s, from measured runs alike
    memory_error_bar: Optional[Record]
    remedy: Optional[Record]  #: the cheapest change that makes it fit
    run: Optional[Record]  #: with tokens=: days, failures, money and energy of the whole run
    model: Record
    system: Record
    json: str = field(repr=False)
    _asked: Dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def charts(self) -> Dict[str, Any]:
        """The charts of the report by name (time, memory, schedule, ...): what its script draws."""
        return charts(**self._asked)

    def __getattr__(self, name: str) -> Any:
        if name in UNITS:
            return self.figures[name]
        raise AttributeError(name)

    def _rows(self) -> Rows:
        known = {"plan": self.plan_words, "verdict": self.verdict, **self.figures.said()}
        return Rows([_record.record("prediction", known)])

    def _repr_html_(self) -> str:
        rows = [["plan", self.plan_words], ["verdict", self.verdict]]
        rows += [[reason["reason"], reason["message"]] for reason in self.reasons]
        rows += [[key, value] for key, value in self.figures.said().items() if value]
        made = self.charts() if self.stages and self._asked else {}
        shown = drawn([made[name] for name in ("time", "memory", "schedule") if name in made])
        return shown + table([], rows) + self.stages._repr_html_()


@dataclass
class Fits(Answer):
    """Does it fit, what a GPU of each stage holds, and which change saves how much."""

    fits: bool
    verdict: str
    plan_words: str
    assumed: Optional[str]
    capacity_bytes: Optional[int]
    need_bytes: Optional[float]
    left_bytes: Optional[float]
    step_s: Optional[float]
    plan: Plan
    stages: Rows
    changes: Rows
    reasons: Rows
    json: str = field(repr=False)

    def _rows(self) -> Rows:
        return self.changes

    def _repr_html_(self) -> str:
        shown = ("plan_words", "verdict", "need_bytes", "left_bytes", "step_s")
        rows = [[key, getattr(self, key)] for key in shown]
        saved = [row for row in self.changes if row["saved_bytes"]]
        charts = [plot({"change": [row["change"] for row in saved], "saved_bytes": [row["saved_bytes"] for row in saved]},
                       "change", "saved_bytes", bars=True, title="Memory that single changes save").chart] if saved else []
        return drawn(charts) + table([], rows) + self.stages._repr_html_() + self.changes._repr_html_()


@dataclass
class Search(Answer):
    """The best plans: rows with time, memory and choices; iterable."""

    complete: bool  #: False: stopped, the best so far
    counts: Record  #: plans of the space, and those that fit
    best: Rows
    frontier: Rows  #: with pareto=
    misses: Rows  #: with why=True: what a limit keeps out by least
    changes: Rows  #: with why=True: which single change would let a plan in
    sensitivity: Rows  #: with sensitivity=True
    outcomes: Rows  #: how many plans each verdict has
    placement: Rows  #: over several clusters: the stages of the first one
    alone: Rows  #: over several clusters: each by itself
    bounds: Record  #: over several clusters: what is proved
    json: str = field(repr=False)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.frontier or self.best)

    def __len__(self) -> int:
        return len(self.frontier or self.best)

    def __getitem__(self, index: int) -> Record:
        return (self.frontier or self.best)[index]

    def _rows(self) -> Rows:
        return self.frontier or self.best

    def _charts(self) -> Iterator[Plot]:
        """Time against memory; with sensitivity=True the time that 10 % more of each property saves."""
        rows = self.frontier or self.best
        if rows:
            shown = {name: [row[name] for row in rows] for name in ("hbm_bytes", "step_s")}
            shown["plan"] = [str(row["plan"]) for row in rows]
            yield plot(shown, "hbm_bytes", "step_s", label="plan", title="Step time and memory of the best plans")
        if self.sensitivity and self.best:
            now, of = self.best[0]["step_s"], [row for row in self.sensitivity if row["time_more_s"]]
            names = [f"{row['name'] or row['part']} {row['parameter']}" for row in of]
            yield plot({"property": names, "time saved (%)": [100 * (1 - row["time_more_s"] / now) for row in of]},
                       "property", "time saved (%)", bars=True, title="Time saved by 10 % more of a property")

    def _repr_html_(self) -> str:
        parts = (self.frontier or self.best, self.placement, self.alone, self.misses, self.changes, self.sensitivity)
        return drawn([made.chart for made in self._charts()]) + "".join(rows._repr_html_() for rows in parts if rows)


@dataclass
class Check(Answer):
    """What is wrong before it is launched."""

    errors: int
    warnings: int
    findings: Rows
    json: str = field(repr=False)

    @property
    def ok(self) -> bool:
        return self.errors == 0

    def _rows(self) -> Rows:
        return self.findings

    def _repr_html_(self) -> str:
        return self.findings._repr_html_()


@dataclass
class Program(Answer):
    """What each class of ranks does: those that differ in nothing but whom they talk to."""

    plan: Plan
    classes: Rows
    json: str = field(repr=False)

    def _rows(self) -> Rows:
        return self.classes

    def _repr_html_(self) -> str:
        return self.classes._repr_html_()


@dataclass
class Study(Answer):
    """The best plans of every point of a study; iterable."""

    results: Rows
    json: str = field(repr=False)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def _rows(self) -> Rows:
        return self.results

    def __str__(self) -> str:
        return str(self.results)

    def _repr_html_(self) -> str:
        return self.results._repr_html_()


class Reply(Answer):
    """What other commands answer: their JSON's members by name, `reply.stages[0].layers`."""

    def __init__(self, text: str) -> None:
        self.json = text
        self.values = convert("reply", json.loads(text))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "values":
            raise AttributeError(name)
        return getattr(self.values, name)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self.values.keys()]

    def _rows(self) -> Rows:
        return next((value for value in self.values.said().values() if isinstance(value, Rows)), Rows())

    def __repr__(self) -> str:
        return f"Reply({', '.join(self.values.keys())})"

    def _repr_html_(self) -> str:
        members = self.values.said()
        plain = [[k, v] for k, v in members.items() if not isinstance(v, (Record, list))]
        rows = [value for value in members.values() if isinstance(value, (Record, Rows))]
        return drawn(self._charts()) + (table([], plain) if plain else "") + "".join(value._repr_html_() for value in rows)

    def _charts(self) -> List[Dict[str, Any]]:
        """Of a budget: the tokens that it trains on and that the law asks for, by size."""
        sizes = [row for row in self.values.said().get("budget", []) if row["tokens"]]
        if not sizes or "asked" not in sizes[0].keys():
            return []
        lines = {"tokens within": "tokens", "asked for by the law": "asked"}
        shown = [(row["parameters"], row[name], line) for line, name in lines.items() for row in sizes]
        columns = dict(zip(("parameters", "tokens", "series"), map(list, zip(*shown))))
        made = plot(columns, "parameters", "tokens", series="series", title="Tokens of the budget and of the law").chart
        for at, axis in enumerate((made["across"], made["up"])):
            values = [row[at] for row in made["rows"]]
            marks = (digit * 10.0**power for power in range(6, 16) for digit in (1, 2, 5))
            axis.update(log=True, factor=1e9, title=axis["title"] + " (billion)",
                        ticks=[mark for mark in marks if min(values) / 2 < mark < 2 * max(values)])
        return [made]


# ---- from Python to words of the command line ----

_PLAN_KEYS = set(Plan().keys())


def _long(choices: Mapping[str, Any]) -> Dict[str, Any]:
    """tp as tensor: choices of a plan by the names of class Plan, whatever else there is as it is."""
    known: Dict[str, Any] = {}
    said: Dict[str, str] = {}
    for key, value in choices.items():
        name = WORDS.get(key, key)
        if name in said:
            raise UsageError(
                Status.BAD_ARGUMENT, "", 0, 0, f"{said[name]} and {key} are one choice: give one of them", key)
        known[name], said[name] = value, key
    return known


def _line(plan: PlanLike) -> str:
    """A plan as one line of words."""
    return str(Plan(**_long(plan))) if isinstance(plan, Mapping) else str(plan)


@functools.lru_cache(maxsize=4096)
def _members(words: str) -> Dict[str, Any]:
    return {k: v for k, v in json.loads(_library.plan_members(words))["plan"].items() if k in _PLAN_KEYS}


def _plan_of(words: Union[str, Dict[str, Any]], beside: Mapping[str, Any]) -> Any:
    """The Plan of a line, with what its row says of kernels, or of its members; what is neither stays
    as it is."""
    if isinstance(words, dict):
        return _plan(words, beside.get("plan_words")) if _PLAN_KEYS.issuperset(words) else None
    try:
        known = {**_members(words), **{key: beside[key] for key in ("precision", "attention") if beside.get(key)}}
    except ReckonError:
        return words
    return _plan(known, words)


_record.plan_of = _plan_of
_LONGEST_ID = 60  # characters of a file's name


def _file_name(id: str) -> str:
    """An id as the name of one file: "meta-llama/Llama-3" is meta-llama-Llama-3, "../../x" is x."""
    return re.sub(r"[^\w.+=@%-]+", "-", id[:_LONGEST_ID]).lstrip(".-") or "unnamed"


def _path_of(folder: str, kind: str, id: str, text: str) -> str:
    place = Path(folder, kind)
    place.mkdir(exist_ok=True)
    path = place / f"{_file_name(id)}.json"
    path.write_text(text)
    return str(path)


class _Inputs:
    """Models, systems and plans as names; objects become files of a folder of this call."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def model(self, it: ModelLike) -> str:
        if isinstance(it, Model):
            return _path_of(self.folder, "model", it.id, it.to_json())
        if isinstance(it, Mapping):
            return _path_of(self.folder, "model", str(it.get("id", "model")), _without_id(it))
        return os.fspath(it)

    def system(self, it: SystemLike) -> str:
        if isinstance(it, System):
            return _path_of(self.folder, "system", it.id, it.to_json())
        if isinstance(it, Mapping):
            return _path_of(self.folder, "system", str(it.get("id", "system")), _without_id(it))
        return os.fspath(it)

    def plan(self, it: PlanLike) -> List[str]:
        if isinstance(it, Plan):
            return ["--plan", _path_of(self.folder, "plan", "plan", json.dumps(it.said()))]
        if isinstance(it, Mapping):
            return ["--plan", _path_of(self.folder, "plan", "plan", json.dumps(_long(it)))]
        try:
            words = os.fspath(it)
        except TypeError:
            said = f"the plan is {type(it).__name__}: give words in one text, a file, a Plan or a dict"
            raise UsageError(Status.BAD_ARGUMENT, "", 0, 0, said, "plan") from None
        is_file = not isinstance(it, str) or "/" in words or words.endswith(".json")
        return ["--plan", words] if is_file and words else words.split()


def _without_id(mapping: Mapping[str, Any]) -> str:
    return json.dumps({key: value for key, value in mapping.items() if key != "id"}, indent=4)


@contextlib.contextmanager
def _inputs() -> Iterator[_Inputs]:
    with tempfile.TemporaryDirectory(prefix="reckon-") as folder:
        yield _Inputs(folder)


def _options(options: Mapping[str, Any]) -> List[str]:
    """threads=2, why=True, tensor=[8, 16] as --threads 2 --why --tensor 8,16; None is not said."""
    words: List[str] = []
    for key, value in _long(options).items():
        name = "--" + key.rstrip("_").replace("_", "-")
        if value is None or (value is False and key not in _PLAN_KEYS):
            continue
        if isinstance(value, bool) and key == "gpus":
            raise UsageError(Status.BAD_ARGUMENT, "", 0, 0, f"gpus: {value} is not a number: give how many", key)
        if value is True:
            words.append(name)
        elif value is False:
            words.append(name + "=no")
        elif isinstance(value, (list, tuple, range)):
            words += [name, ",".join(str(item) for item in value)]
        else:
            words += [name, str(value)]
    return words


def command(words: Sequence[str], progress: Union[Progress, bool, None] = None) -> Output:
    """Any command of the command line in this process, `command(["models", "--format", "json"])`:
    an Output with code (the exit status), text and remarks."""
    return _library.command(words, progress, raw=True)


def _ask(words: List[str], inputs: _Inputs, progress: Any = None) -> Output:
    return _library.command(words + ["--format", "json"], progress, inputs.folder)


_Question = Callable[[_Inputs], List[str]]


def _on(
    words: Sequence[str], model: Optional[ModelLike], system: Optional[SystemLike], options: Mapping[str, Any],
    plan: PlanLike = "", bare: bool = False,
) -> _Question:
    """A question about a model, a system and a plan, as they are now. `bare`: names stand without -m and -s."""
    model, system, options, plan = copy.deepcopy((model, system, dict(options), plan))

    def asked(inputs: _Inputs) -> List[str]:
        made = list(words)
        if model is not None:
            made += ([] if bare else ["-m"]) + [inputs.model(model)]
        if system is not None:
            made += ([] if bare else ["-s"]) + [inputs.system(system)]
        return made + _options(options) + inputs.plan(plan)

    return asked


def _answer(question: _Question, progress: Any = None) -> Output:
    with _inputs() as inputs:
        return _ask(question(inputs), inputs, progress)


def _reply(question: _Question) -> "Reply":
    return _kept(Reply(_answer(question).text), question)


def _rows(answer: Mapping[str, Any], name: str) -> Rows:
    rows = answer.get(name)
    return convert(name, rows) if rows else Rows()


def _plan(values: Mapping[str, Any], words: Optional[str] = None) -> Plan:
    plan = Plan(**{key: value for key, value in values.items() if key in _PLAN_KEYS})
    plan.__dict__["_words"] = words
    return plan


def _typed(options: type) -> Callable[[_F], _F]:
    """Names the options of a TypedDict in the signature and the docstring of a function."""

    def put(function: _F) -> _F:
        signature = inspect.signature(function)
        known = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for name, kind in _annotations(options).items() if name not in signature.parameters
        ]
        function.__signature__ = signature.replace(parameters=known + more)  # type: ignore[attr-defined]
        function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\n{options.__doc__ or ''}"
        return function

    return put


def _annotations(options: type) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for base in (*getattr(options, "__orig_bases__", ()), options):
        found.update(getattr(base, "__annotations__", {}))
    return found


# ---- models and systems ----


def model(name: Union[str, os.PathLike]) -> Model:
    """A model of the catalog or of a file (also a config.json of Hugging Face), to be changed."""
    text = json.loads(_library.document_text("model", os.fspath(name)))
    path = Path(os.fspath(name))
    return _model(path.parent.name if path.name == "config.json" else path.name, text)


def _model(id: str, document: Dict[str, Any]) -> Model:
    return Model(id=id[:-5] if id.endswith(".json") else id, **document)


def system(name: Union[str, os.PathLike]) -> System:
    """A machine of the catalog, of a file, or of a line ("h100-80g x4096 nvl8"), to be changed."""
    text = json.loads(_library.document_text("system", os.fspath(name)))
    id = os.path.basename(os.fspath(name)).replace(" ", "-")
    return System(id[:-5] if id.endswith(".json") else id, text)


def models() -> Rows:
    """The models of the catalog."""
    with _inputs() as inputs:
        return _only_rows(_ask(["models"], inputs).text)


def systems(all: bool = False) -> Rows:
    """The systems of the catalog."""
    with _inputs() as inputs:
        return _only_rows(_ask(["systems"] + _options({"all": all}), inputs).text)


def prices(system: Optional[SystemLike] = None, *, prices: Optional[str] = None) -> Rows:
    """What accelerators cost for an hour, with date and source of each price; `prices`: another list, a
    table (.csv) or the name of one of the catalog."""
    with _inputs() as inputs:
        words = ["prices"] + ([] if system is None else ["-s", inputs.system(system)])
        return _only_rows(_ask(words + _options({"prices": prices}), inputs).text)


def _only_rows(text: str) -> Rows:
    """The one table of an answer."""
    for name, value in json.loads(text).items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return convert(name, value)
    return Rows()


def import_hf(
    config: Union[str, os.PathLike, Mapping[str, Any]],
    *,
    id: Optional[str] = None,
    sequence: Optional[int] = None,
    as_: Optional[str] = None,
) -> Model:
    """The shape of a model from its config.json of Hugging Face: a path, or what it holds.

    What the file says and is not followed is a ReckonWarning; what it does not say and was taken is
    in `source`. `sequence`: tokens of one sample; `as_`: read it as this model_type.
    """
    with _inputs() as inputs:
        if isinstance(config, Mapping):
            name = id or str(config.get("_name_or_path") or config.get("model_type") or "model")
            path = _path_of(inputs.folder, "hf", os.path.basename(name), json.dumps(dict(config)))
        else:
            path = os.fspath(config)
        words = ["import", "hf", path, "-o", "-"] + _options({"sequence": sequence, "as": as_})
        text = json.loads(_library.command(words, None, inputs.folder).text)
        return _model(id or text["name"], text)


# ---- questions ----


@_typed(_tables.PredictOptions)
def predict(
    model: ModelLike,
    system: SystemLike,
    plan: PlanLike = "",
    *,
    gpus: Optional[int] = None,
    **choices: Unpack[_tables.PredictOptions],
) -> Prediction:
    """The time and memory of one step.

    Args:
        plan: words ("tp8 pp2 zero1"), a file, a Plan, or a dict of choices; class Plan lists them.
        gpus: accelerators in use; default all of the system, else what the degrees make.
        choices: of the plan, by the names of class Plan or as words have them (tp=8); they override
            `plan`. tokens, price and the other options of a whole run are taken, too.

    A plan that cannot run is an answer: `fits` is False, and `reasons` says why.
    """
    question = _on(["predict"], model, system, {"gpus": gpus, **choices}, plan)
    text = _answer(question).text
    answer = json.loads(text)
    known = {**(answer.get("rates") or {}), **(answer.get("figures") or {})}
    return _kept(Prediction(
        by=answer["by"],
        fits=answer["fits"],
        verdict=answer["verdict"],
        plan_words=answer["plan_words"],
        assumed=answer["assumed"],
        plan=_plan(answer["plan"], answer["plan_words"]),
        figures=Figures(**{key: value for key, value in known.items() if key in UNITS}),
        stages=_rows(answer, "stages"),
        reasons=_rows(answer, "reasons"),
        rates=convert("rates", answer.get("rates")),
        error_bar=convert("error_bar", answer.get("error_bar")),
        memory_error_bar=convert("memory_error_bar", answer.get("memory_error_bar")),
        remedy=convert("remedy", answer.get("remedy")),
        run=convert("run", answer.get("run")),
        model=convert("model", answer["model"]),
        system=convert("system", answer["system"]),
        json=text,
        _asked=copy.deepcopy({
            "model": model, "system": system, "plan": plan, "gpus": gpus,
            **{key: value for key, value in choices.items() if WORDS.get(key, key) in _PLAN_KEYS},
        }),
    ), question)


def predict_many(
    model: ModelLike,
    system: SystemLike,
    plans: Sequence[PlanLike],
    *,
    gpus: Optional[int] = None,
    figures: Sequence[str] = ("step_s", "mfu", "hbm_bytes"),
    threads: int = 0,
) -> Columns:
    """Many plans in one call: columns plan, verdict, reason and the figures, to_pandas() makes a data
    frame of them.

    Args:
        plans: as predict() takes them, but for files.
        figures: names of class Figures; NaN where a plan cannot be timed.
        threads: 0: all processors.

    Each row has a verdict, one of VERDICTS, and the reason why it cannot run (None: it can). So has a
    plan that does not divide the GPUs or the batch. A word that no plan has is an error of its own,
    with the number of the plan as its line.
    """
    lines = [_line(plan) for plan in plans]
    with _inputs() as inputs:
        values, verdicts, reasons = _library.predict_rows(
            inputs.model(model), inputs.system(system), gpus or 0, lines, figures, threads,
            inputs.folder,
        )
    width = len(figures)
    columns = Columns({"plan": lines})
    columns["verdict"] = [VERDICTS[verdict] for verdict in verdicts[: len(lines)]]
    columns["reason"] = reasons
    flat = values[: len(lines) * width]
    for i, name in enumerate(figures):
        columns[name] = flat[i::width]
    return columns


def _several(it: Any) -> List[Any]:
    return list(it) if isinstance(it, (list, tuple, range)) else [it]


def _name(it: Any) -> str:
    return it.id if isinstance(it, (Model, System)) else str(it.get("id")) if isinstance(it, Mapping) else str(it)


def sweep(
    models: Union[ModelLike, Sequence[ModelLike]],
    systems: Union[SystemLike, Sequence[SystemLike]],
    plans: Optional[Sequence[PlanLike]] = None,
    *,
    gpus: Union[int, Sequence[int], None] = None,
    batch: Union[int, Sequence[int], None] = None,
    figures: Sequence[str] = ("step_s", "mfu", "hbm_bytes"),
    threads: int = 0,
    **options: Any,
) -> Columns:
    """All combinations of models, systems and GPUs, as columns for to_pandas().

    With `plans` each of them is predicted, as predict_many() does. Without, the best plan of each
    combination is searched for: that needs `batch`, and `options` are those of search(), such as
    tokens="15T" for days and cost.
    """
    axes = _several(models), _several(systems), _several(gpus)
    if plans is None:
        return _best_of(*axes, {"batch": batch, "threads": threads or None, **options})
    if batch is not None or options:
        said = ", ".join([*(["batch"] if batch is not None else []), *options])
        raise UsageError(Status.BAD_ARGUMENT, "", 0, 0, f"{said}: say it in each of the plans, or leave plans out")
    all_rows = Columns({name: [] for name in ("model", "system", "gpus", "plan", "verdict", "reason", *figures)})
    lines = [_line(plan) for plan in plans]
    for model, system, count in itertools.product(*axes):
        found = predict_many(model, system, lines, gpus=count, figures=figures, threads=threads)
        for name, value in (("model", _name(model)), ("system", _name(system)), ("gpus", count)):
            all_rows[name] += [value] * len(lines)
        for name, values in found.items():
            all_rows[name] += values
    return all_rows


def _best_of(models: List[Any], systems: List[Any], gpus: List[Any], options: Mapping[str, Any]) -> Columns:
    """The table of `reckon search` over several problems."""
    one = {"gpus": [n for n in gpus if n is not None] or None, **options}
    with _inputs() as inputs:
        words = [word for model in models for word in ("-m", inputs.model(model))]
        words += [word for system in systems for word in ("-s", inputs.system(system))]
        answer = json.loads(_ask(["search", "-q", *words, *_options(one)], inputs).text)
    # one problem alone has an answer of another form
    alone = [{"model": _name(models[0]), "system": _name(systems[0]), **answer["problem"], **row}
             for row in answer.get("best") or [{}][:1]] if "problem" in answer else []
    rows = answer.get("problems") or alone[:1]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Columns({name: [row.get(name) for row in rows] for name in names})


@_typed(_tables.FitsOptions)
def fits(
    model: ModelLike,
    system: SystemLike,
    plan: PlanLike = "",
    *,
    gpus: Optional[int] = None,
    **choices: Unpack[_tables.FitsOptions],
) -> Fits:
    """Does it fit? What the plan does not say is the best that a search finds."""
    question = _on(["fits"], model, system, {"gpus": gpus, **choices}, plan)
    text = _answer(question).text
    answer = json.loads(text)
    return _kept(Fits(
        fits=answer["fits"],
        verdict=answer["verdict"],
        plan_words=answer["plan_words"],
        assumed=answer["assumed"],
        capacity_bytes=answer.get("capacity_bytes"),
        need_bytes=answer.get("need_bytes"),
        left_bytes=answer.get("left_bytes"),
        step_s=answer.get("step_s"),
        plan=_plan(answer["plan"], answer["plan_words"]),
        stages=_rows(answer, "stages"),
        changes=_rows(answer, "changes"),
        reasons=_rows(answer, "reasons"),
        json=text,
    ), question)


@_typed(_tables.SearchOptions)
def search(
    model: ModelLike,
    system: SystemLike,
    gpus: Optional[int],
    batch: int,
    plan: PlanLike = "",
    *,
    progress: Union[Progress, bool, None] = None,
    **options: Unpack[_tables.SearchOptions],
) -> Search:
    """The best plans of all there are.

    Args:
        system: several clusters, too: "h100-sxm5-80g x16 + a100-sxm4-80g x16 link=100Gb/s@50us".
        gpus, batch: accelerators in use (None: all that the system says), samples of one step.
        plan: words of what all plans have, "cuda-graphs imbalance=1.2".
        progress: called with (done, total, best_s) now and then; returning False stops the search,
            whose answer is then not `complete`. True: a line on standard error.
        options: top=3, framework="fsdp", threads=2, tensor=[4, 8], tp=8, where="hbm <= 60GiB",
            pareto="time,hbm", ..., see below.

    Ctrl-C raises Interrupted, whose `result` is the best so far. Each layer in its own way: layerwise().
    """
    if options.get("layerwise"):
        raise UsageError(Status.BAD_ARGUMENT, "", 0, 0, "layerwise has an answer of its own: ask layerwise()")
    question = _on(["search", "-q"], model, system, {"gpus": gpus, "batch": batch, **options}, plan)
    stopped: List[KeyboardInterrupt] = []
    output = _answer(question, _watched(progress, stopped))
    result = _kept(_search(output.text), question) if output.text else None
    if stopped:
        interrupted = Interrupted("the search was stopped")
        interrupted.result = result
        raise interrupted
    assert result is not None
    return result


def _search(text: str) -> Search:
    answer = json.loads(text)
    names = ("best", "frontier", "misses", "changes", "sensitivity", "outcomes", "placement", "alone")
    return Search(
        complete=answer.get("complete", True),
        counts=convert("counts", answer.get("counts") or {}),
        bounds=convert("bounds", answer.get("bounds") or {}),
        json=text,
        **{name: _rows(answer, name) for name in names},
    )


def _watched(progress: Any, stopped: List[KeyboardInterrupt]) -> Progress:
    """Calls `progress`, and keeps the Ctrl-C that ends it."""

    def watch(done: int, total: int, best_s: float) -> Any:
        try:
            if progress is True:
                return _library._bar(done, total, best_s)
            return progress(done, total, best_s) if progress else True
        except KeyboardInterrupt as stop:
            stopped.append(stop)
            return False

    return watch


@_typed(_tables.SearchOptions)
def ask(
    model: ModelLike,
    system: SystemLike,
    gpus: int,
    batch: int,
    *,
    where: Optional[str] = None,
    pareto: Optional[str] = None,
    why: bool = False,
    sensitivity: bool = False,
    **options: Unpack[_tables.SearchOptions],
) -> Search:
    """Questions about all plans.

    Args:
        where: only plans that satisfy it, "hbm <= 60GiB and tensor <= 8".
        pareto: the Pareto frontier of these expressions, "time,hbm": `frontier`.
        why: the closest infeasible plans, and single changes that make a plan feasible: `misses`, `changes`.
        sensitivity: how the best time depends on each number of the machine: `sensitivity`.
        options: as for search().
    """
    return search(
        model, system, gpus, batch, where=where, pareto=pareto, why=why, sensitivity=sensitivity,
        **options,
    )


@_typed(_tables.SearchOptions)
def layerwise(
    model: ModelLike, system: SystemLike, gpus: int, batch: int, plan: PlanLike = "",
    **options: Unpack[_tables.SearchOptions],
) -> Reply:
    """The best plan whose layers may each be split and recomputed in a way of their own, with its
    certificate: step_s, uniform_s, gain, bound_s, runs, stages."""
    words = ["search", "--layerwise", "-q"]
    return _reply(_on(words, model, system, {"gpus": gpus, "batch": batch, **options}, plan))


@_typed(_tables.BudgetOptions)
def budget(
    system: SystemLike, gpus: Optional[int] = None, *, model: Optional[ModelLike] = None,
    **options: Unpack[_tables.BudgetOptions],
) -> Reply:
    """The largest model, or the most tokens, that days=30 and cost=1e6 train: a row for each size in
    `budget`."""
    return _reply(_on(["budget"], model, system, {**options, "gpus": gpus}))


@_typed(_tables.LongestOptions)
def longest(
    model: ModelLike, system: SystemLike, plan: PlanLike = "", *, gpus: int,
    **options: Unpack[_tables.LongestOptions],
) -> Reply:
    """The longest sequence that can be trained, and by which plan: rows in `longest`."""
    return _reply(_on(["longest"], model, system, {"gpus": gpus, **options}, plan, bare=True))


@_typed(_tables.ServeOptions)
def serve(
    model: ModelLike, system: SystemLike, plan: PlanLike = "", *, gpus: Optional[int] = None,
    **options: Unpack[_tables.ServeOptions],
) -> Reply:
    """Inference: rows in `batches`, where the time goes in `steps`, and `memory`; prompt=2048,
    generate=128, batch="1,64", search=True, token_ms=20."""
    return _reply(_on(["serve"], model, system, {"gpus": gpus, **options}, plan))


@_typed(_tables.DiffOptions)
def diff(
    model: ModelLike, system: SystemLike, a: PlanLike, b: Optional[PlanLike] = None,
    **options: Unpack[_tables.DiffOptions],
) -> Reply:
    """Two plans side by side and what each difference is worth; without `b`, `a` and the best
    plan there is. Words, "tp8 pp4 gbs512", files or a Plan; `b` may be changes, "+tp4"."""
    words = ["diff", _line(a)] + ([_line(b)] if b else ["--best"])
    return _reply(_on(words, model, system, options))


@_typed(_tables.TimelineOptions)
def timeline(
    model: ModelLike, system: SystemLike, plan: PlanLike = "", *, gpus: Optional[int] = None,
    **options: Unpack[_tables.TimelineOptions],
) -> Reply:
    """One step simulated event by event; trace="trace.json" writes it for ui.perfetto.dev."""
    return _reply(_on(["timeline"], model, system, {"gpus": gpus, **options}, plan))


def study(
    file: Union[str, os.PathLike, Mapping[str, Any]],
    *,
    db: Union[str, os.PathLike, None] = None,
    progress: Union[Progress, bool, None] = None,
    **options: Any,
) -> Study:
    """A grid of searches, reckon-study(5): a file, or what it holds. Finished searches are kept in the
    database `db` and not repeated; default: next to the file; for a dict, not kept."""
    with _inputs() as inputs:
        if isinstance(file, Mapping):
            file = _path_of(inputs.folder, "study", "study", json.dumps(dict(file), indent=4))
        words = ["study", os.fspath(file), "-q"]
        words += _options({"db": os.fspath(db) if db else None, "export": "json", **options})
        stopped: List[KeyboardInterrupt] = []
        output = _library.command(words, _watched(progress, stopped), inputs.folder)
    if stopped:
        raise Interrupted("the study was stopped: what is finished is kept")
    answer = json.loads(output.text)
    rows = answer if isinstance(answer, list) else next(
        (value for value in answer.values() if isinstance(value, list)), []
    )
    return Study(results=convert("results", rows) or Rows(), json=output.text)


# ---- from a plan to a run ----


def export(
    to: str,
    model: ModelLike,
    plan: PlanLike = "",
    *,
    launcher: Optional[str] = None,
    target: Optional[str] = None,
    **options: Any,
) -> str:
    """A plan as what other tools are launched with: `to` is megatron, deepspeed, torchtitan, accelerate or
    nanotron.

    `launcher`: a whole file that starts it, torchrun, slurm or kubernetes; `target`: the version of
    Megatron Core. What the tool cannot express is a ReckonWarning.
    """
    with _inputs() as inputs:
        words = ["export", to, "-m", inputs.model(model)]
        words += _options({"launcher": launcher, "target": target, **options}) + inputs.plan(plan)
        return _library.command(words, None, inputs.folder).text


def check(
    plan: PlanLike,
    model: Optional[ModelLike] = None,
    system: Optional[SystemLike] = None,
    *,
    gpus: Optional[int] = None,
    **options: Any,
) -> Check:
    """What is wrong with a plan, or with a file that launches one (a script of Megatron-LM, a
    ds_config.json, ...): findings with rule, severity, place and remedy."""
    def asked(inputs: _Inputs) -> List[str]:
        words = ["check"] + [word for word in inputs.plan(plan) if word != "--plan"]
        if model is not None:
            words += ["-m", inputs.model(model)]
        if system is not None:
            words += ["-s", inputs.system(system)]
        return words + _options({"gpus": gpus, **options})

    text = _answer(asked).text
    answer = json.loads(text)
    return _kept(Check(answer["errors"], answer["warnings"], _rows(answer, "findings"), text), asked)


def program(
    model: ModelLike,
    system: SystemLike,
    plan: PlanLike = "",
    *,
    gpus: Optional[int] = None,
    rank: Optional[int] = None,
    **choices: Any,
) -> Union[Program, str]:
    """What each rank does: a table of the classes of ranks, or the program of one `rank` as text."""
    question = _on(["program"], model, system, {"gpus": gpus, "rank": rank, **choices}, plan)
    if rank is not None:
        with _inputs() as inputs:
            return _library.command(question(inputs), None, inputs.folder).text
    text = _answer(question).text
    answer = json.loads(text)
    made = Program(_plan(answer["plan"], answer.get("plan_words")), _rows(answer, "classes"), text)
    return _kept(made, question)


def report(
    model: ModelLike,
    system: SystemLike,
    plan: PlanLike = "",
    *,
    gpus: Optional[int] = None,
    **choices: Any,
) -> str:
    """One HTML page with charts that needs no network: a prediction to look at, light and dark."""
    with _inputs() as inputs:
        words = ["report", "-m", inputs.model(model), "-s", inputs.system(system), "-o", "-"]
        words += _options({"gpus": gpus, **choices}) + inputs.plan(plan)
        return _library.command(words, None, inputs.folder).text


def charts(
    model: ModelLike,
    system: SystemLike,
    plan: PlanLike = "",
    *,
    gpus: Optional[int] = None,
    **choices: Any,
) -> Dict[str, Any]:
    """The charts of the report by name (time, memory, schedule, layout, roofline, ...): kind, roles,
    columns and rows, as `reckon report --format json` has them and its script draws them."""
    with _inputs() as inputs:
        words = ["report", "-m", inputs.model(model), "-s", inputs.system(system), "--format", "json"]
        words += _options({"gpus": gpus, **choices}) + inputs.plan(plan)
        made = json.loads(_library.command(words, None, inputs.folder).text)
        return {block["id"]: block["chart"] for block in made["blocks"] if "chart" in block}


class Plot:
    """A chart of columns, drawn in a notebook by the script of the reports."""

    def __init__(self, chart: Dict[str, Any]) -> None:
        self.chart = chart

    def __repr__(self) -> str:
        return f"{self.chart['title']}: {len(self.chart['rows'])} points"

    def _repr_html_(self) -> str:
        return drawn([self.chart])


_TITLES = {"hbm_bytes": "memory of a GPU", "step_s": "step time", "mfu": "MFU", "gpus": "GPUs", "saved_bytes": "memory saved",
           "tokens_per_s": "tokens per second", "tokens_per_s_gpu": "tokens per second per GPU", "cost_usd": "cost in USD"}


def plot(
    columns: Mapping[str, Sequence[Any]],
    x: str,
    y: str,
    *,
    series: Optional[str] = None,
    label: Optional[str] = None,
    title: Optional[str] = None,
    line: Optional[bool] = None,
    bars: bool = False,
) -> Plot:
    """Points of two columns, such as those of sweep() and predict_many(): lines of `series` where there is
    one, unless `line` says otherwise; `label` names each point under the pointer. With `bars`, a bar of `y`
    for each name in `x`."""
    kept = [name for name in (x, y, series, label) if name]
    rows = [list(row) for row in zip(*(columns[name] for name in kept))]
    rows = [row for row in rows if row[0] is not None and row[1] is not None]
    of = [str(row[2]) if series else y for row in rows]
    if not series:
        rows = [row[:2] + [y] + row[2:] for row in rows]
    colours = ("#4c78a8", "#f58518", "#e45756", "#72b7b2", "#54a24b", "#eeca3b", "#b279a2", "#9d755d")
    how = "linear" if (line if line is not None else bool(series)) else "points"
    names = list(dict.fromkeys(of))

    def axis(name: str) -> Dict[str, Any]:
        unit = "B" if name.endswith("_bytes") else UNITS.get(name, "")
        scale, said = {"B": (2.0**30, "GiB"), "%": (0.01, "%")}.get(unit, (1.0, unit))
        title, said = _TITLES.get(name, name), "" if name.startswith("tokens_per_s") else said
        return {"title": f"{title} ({said})" if said else title, "factor": scale, "log": False, "ticks": []}

    titled = [x, y, series or "series", *([label] if label else [])]
    return Plot({
        "id": "plot", "title": title or f"{y} over {x}", "kind": "bars" if bars else "xy", "beside": bars,
        "upright": False, "plain": False, "limit": "",
        "roles": {"y": 0, "value": 1, "series": 2} if bars else {"x": 0, "y": 1, "series": 2},
        "across": axis(y if bars else x), "up": axis(y), "heat": axis(y),
        "series": [[name, colours[i % len(colours)], how] for i, name in enumerate(names)],
        "columns": [[name, name, UNITS.get(name, "")] for name in titled],
        "rows": [[row[0], row[1], name, *row[3:]] for row, name in zip(rows, of)],
    })


_library.FUNCTIONS = [name for name in __all__ if name.islower() and name != "command"]
