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
import json
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from . import _library, _tables
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
from ._record import Record, Rows, convert, drawn, table
from ._tables import UNITS, VERDICTS, Figures, Model, Plan, Status

__version__ = _tables.VERSION
__all__ = [
    "ask", "budget", "charts", "check", "command", "diff", "export", "fits", "import_hf",
    "layerwise", "longest", "model", "models", "predict", "predict_many", "program", "report", "search", "serve",
    "study", "system", "systems", "timeline",
    "Check", "Figures", "FileError", "Fits", "InputError", "Interrupted", "Model", "Plan",
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
    """What the library answered: `json` is what the command line prints, byte by byte."""

    json: str

    def to_dict(self) -> Dict[str, Any]:
        return json.loads(self.json)


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

    def _repr_html_(self) -> str:
        shown = ("plan_words", "verdict", "need_bytes", "left_bytes", "step_s")
        rows = [[key, getattr(self, key)] for key in shown]
        return table([], rows) + self.stages._repr_html_() + self.changes._repr_html_()


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

    def _repr_html_(self) -> str:
        parts = (self.frontier or self.best, self.placement, self.alone, self.misses, self.changes, self.sensitivity)
        return "".join(rows._repr_html_() for rows in parts if rows)


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

    def _repr_html_(self) -> str:
        return self.findings._repr_html_()


@dataclass
class Program(Answer):
    """What each class of ranks does: those that differ in nothing but whom they talk to."""

    plan: Plan
    classes: Rows
    json: str = field(repr=False)

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

    def _repr_html_(self) -> str:
        return self.results._repr_html_()


class Reply(Answer):
    """What other commands answer: their JSON's members by name, `reply.stages[0].layers`."""

    def __init__(self, text: str) -> None:
        self.json = text
        self.values = convert("reply", json.loads(text))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "values":
            raise AttributeError(name)
        return getattr(self.values, name)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self.values.keys()]

    def __repr__(self) -> str:
        return f"Reply({', '.join(self.values.keys())})"

    def _repr_html_(self) -> str:
        members = self.values.said()
        plain = [[k, v] for k, v in members.items() if not isinstance(v, (Record, list))]
        rows = [value for value in members.values() if isinstance(value, (Record, Rows))]
        return (table([], plain) if plain else "") + "".join(value._repr_html_() for value in rows)


# ---- from Python to words of the command line ----

_PLAN_KEYS = set(Plan().keys())
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
            return ["--plan", _path_of(self.folder, "plan", "plan", json.dumps(dict(it)))]
        words = os.fspath(it)
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
    for key, value in options.items():
        name = "--" + key.rstrip("_").replace("_", "-")
        if value is None or (value is False and key not in _PLAN_KEYS):
            continue
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
    return _library.command(words, progress)


def _ask(words: List[str], inputs: _Inputs, progress: Any = None) -> Output:
    return _library.command(words + ["--format", "json"], progress, inputs.folder)


def _rows(answer: Mapping[str, Any], name: str) -> Rows:
    rows = answer.get(name)
    return convert(name, rows) if rows else Rows()


def _plan(values: Mapping[str, Any]) -> Plan:
    return Plan(**{key: value for key, value in values.items() if key in _PLAN_KEYS})


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


def predict(
    model: ModelLike,
    system: SystemLike,
    plan: PlanLike = "",
    *,
    gpus: Optional[int] = None,
    **choices: Any,
) -> Prediction:
    """The time and memory of one step.

    Args:
        plan: words ("tp8 pp2 zero1"), a file, a Plan, or a dict of choices; class Plan lists them.
        gpus: accelerators in use; default all of the system, else what the degrees make.
        choices: of the plan, by the names of class Plan; they outdo `plan`. tokens, price and what
            else `reckon predict --help` lists under "The whole run" are taken too.

    A plan that cannot run is an answer: `fits` is False, and `reasons` says why.
    """
    with _inputs() as inputs:
        words = ["predict", "-m", inputs.model(model), "-s", inputs.system(system)]
        words += _options({"gpus": gpus, **choices}) + inputs.plan(plan)
        text = _ask(words, inputs).text
    answer = json.loads(text)
    known = {**(answer.get("rates") or {}), **(answer.get("figures") or {})}
    return Prediction(
        by=answer["by"],
        fits=answer["fits"],
        verdict=answer["verdict"],
        plan_words=answer["plan_words"],
        assumed=answer["assumed"],
        plan=_plan(answer["plan"]),
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
            **{key: value for key, value in choices.items() if key in _PLAN_KEYS},
        }),
    )


def predict_many(
    model: ModelLike,
    system: SystemLike,
    plans: Sequence[str],
    *,
    gpus: Optional[int] = None,
    figures: Sequence[str] = ("step_s", "mfu", "hbm_bytes"),
    threads: int = 0,
) -> Dict[str, Any]:
    """Many plans in one call: {"plan": plans, "verdict": names, figure: values, ...}, as columns
    that pandas.DataFrame takes. `figures` are names of class Figures; NaN where a plan cannot be
    timed."""
    with _inputs() as inputs:
        values, verdicts = _library.predict_lines(
            inputs.model(model), inputs.system(system), gpus or 0, plans, figures, threads,
            inputs.folder,
        )
    width = len(figures)
    columns: Dict[str, Any] = {"plan": list(plans)}
    columns["verdict"] = [VERDICTS[verdict] for verdict in verdicts[: len(plans)]]
    flat = values[: len(plans) * width]
    for i, name in enumerate(figures):
        columns[name] = flat[i::width]
    return columns


def fits(
    model: ModelLike,
    system: SystemLike,
    plan: PlanLike = "",
    *,
    gpus: Optional[int] = None,
    **choices: Any,
) -> Fits:
    """Does it fit? What the plan does not say is the best that a search finds."""
    with _inputs() as inputs:
        words = ["fits", "-m", inputs.model(model), "-s", inputs.system(system)]
        words += _options({"gpus": gpus, **choices}) + inputs.plan(plan)
        text = _ask(words, inputs).text
    answer = json.loads(text)
    return Fits(
        fits=answer["fits"],
        verdict=answer["verdict"],
        plan_words=answer["plan_words"],
        assumed=answer["assumed"],
        capacity_bytes=answer.get("capacity_bytes"),
        need_bytes=answer.get("need_bytes"),
        left_bytes=answer.get("left_bytes"),
        step_s=answer.get("step_s"),
        plan=_plan(answer["plan"]),
        stages=_rows(answer, "stages"),
        changes=_rows(answer, "changes"),
        reasons=_rows(answer, "reasons"),
        json=text,
    )


def search(
    model: ModelLike,
    system: SystemLike,
    gpus: Optional[int],
    batch: int,
    plan: str = "",
    *,
    progress: Union[Progress, bool, None] = None,
    **options: Any,
) -> Search:
    """The best plans of all there are.

    Args:
        system: several clusters, too: "h100-sxm5-80g x16 + a100-sxm4-80g x16 link=100Gb/s@50us".
        gpus, batch: accelerators in use (None: all that the system says), samples of one step.
        plan: words of what all plans have, "cuda-graphs imbalance=1.2".
        progress: called with (done, total, best_s) now and then; returning False stops the search,
            whose answer is then not `complete`. True: a line on standard error.
        options: those of `reckon search --help` with "_" for "-": top=3, framework="fsdp",
            threads=2, tensor=[4, 8], where="hbm <= 60GiB", pareto="time,hbm", ...

    Ctrl-C raises Interrupted, whose `result` is the best so far. Each layer in its own way: layerwise().
    """
    if options.get("layerwise"):
        raise UsageError(Status.BAD_ARGUMENT, "", 0, 0, "layerwise has an answer of its own: ask layerwise()")
    with _inputs() as inputs:
        words = ["search", "-m", inputs.model(model), "-s", inputs.system(system), "-q"]
        words += _options({"gpus": gpus, "batch": batch, **options}) + plan.split()
        stopped: List[KeyboardInterrupt] = []
        output = _ask(words, inputs, _watched(progress, stopped))
    result = _search(output.text) if output.text else None
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
    **options: Any,
) -> Search:
    """Questions about all plans.

    Args:
        where: only plans that satisfy it, "hbm <= 60GiB and tensor <= 8".
        pareto: plans than which no other is better in everything, "time,hbm": `frontier`.
        why: what keeps plans out by least, and which change would let one in: `misses`, `changes`.
        sensitivity: how the best time depends on each number of the machine: `sensitivity`.
        options: as for search().
    """
    return search(
        model, system, gpus, batch, where=where, pareto=pareto, why=why, sensitivity=sensitivity,
        **options,
    )


def layerwise(
    model: ModelLike, system: SystemLike, gpus: int, batch: int, plan: str = "", **options: Any
) -> Reply:
    """The best plan whose layers may each be split and recomputed in a way of their own, with its
    certificate: `reckon search --layerwise`; step_s, uniform_s, gain, bound_s, runs, stages."""
    with _inputs() as inputs:
        words = ["search", "--layerwise", "-m", inputs.model(model), "-s", inputs.system(system), "-q"]
        words += _options({"gpus": gpus, "batch": batch, **options}) + plan.split()
        return Reply(_ask(words, inputs).text)


def budget(system: SystemLike, gpus: Optional[int] = None, **options: Any) -> Reply:
    """The largest model, or the most tokens, that days=30 and cost=1e6 train: a row for each size in
    `budget`."""
    with _inputs() as inputs:
        words = ["budget", "-s", inputs.system(system)]
        given = {**options, "gpus": gpus}
        if isinstance(given.get("model"), (Model, Mapping)):
            given["model"] = inputs.model(given["model"])
        return Reply(_ask(words + _options(given), inputs).text)


def longest(
    model: ModelLike, system: SystemLike, plan: str = "", *, gpus: int, **options: Any
) -> Reply:
    """The longest sequence that can be trained, and by which plan: rows in `longest`."""
    with _inputs() as inputs:
        words = ["longest", inputs.model(model), inputs.system(system)]
        return Reply(_ask(words + _options({"gpus": gpus, **options}) + plan.split(), inputs).text)


def serve(
    model: ModelLike, system: SystemLike, plan: str = "", *, gpus: Optional[int] = None,
    **options: Any,
) -> Reply:
    """Inference: rows in `batches`, where the time goes in `steps`, and `memory`; prompt=2048,
    generate=128, batch="1,64", search=True, token_ms=20."""
    with _inputs() as inputs:
        words = ["serve", "-m", inputs.model(model), "-s", inputs.system(system)]
        return Reply(_ask(words + _options({"gpus": gpus, **options}) + plan.split(), inputs).text)


def diff(
    model: ModelLike, system: SystemLike, a: str, b: Optional[str] = None, **options: Any
) -> Reply:
    """Two plans side by side and what each difference is worth; without `b`, the best plan there is
    beside `a`. Words, "tp8 pp4 gbs512", or files; `b` may be changes, "+tp4"."""
    with _inputs() as inputs:
        words = ["diff", a] + ([b] if b else ["--best"])
        words += ["-m", inputs.model(model), "-s", inputs.system(system)]
        return Reply(_ask(words + _options(options), inputs).text)


def timeline(
    model: ModelLike, system: SystemLike, plan: PlanLike = "", *, gpus: Optional[int] = None,
    **options: Any,
) -> Reply:
    """One step simulated event by event; trace="trace.json" writes it for ui.perfetto.dev."""
    with _inputs() as inputs:
        words = ["timeline", "-m", inputs.model(model), "-s", inputs.system(system)]
        return Reply(_ask(words + _options({"gpus": gpus, **options}) + inputs.plan(plan), inputs).text)


def study(
    file: Union[str, os.PathLike, Mapping[str, Any]],
    *,
    db: Union[str, os.PathLike, None] = None,
    progress: Union[Progress, bool, None] = None,
    **options: Any,
) -> Study:
    """A grid of searches, reckon-study(5): a file, or what it holds. What is finished is kept in the
    database `db`, and not searched again; default beside the file, of a dict: not kept."""
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
    with _inputs() as inputs:
        words = ["check"] + [word for word in inputs.plan(plan) if word != "--plan"]
        if model is not None:
            words += ["-m", inputs.model(model)]
        if system is not None:
            words += ["-s", inputs.system(system)]
        text = _ask(words + _options({"gpus": gpus, **options}), inputs).text
    answer = json.loads(text)
    return Check(answer["errors"], answer["warnings"], _rows(answer, "findings"), text)


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
    with _inputs() as inputs:
        words = ["program", "-m", inputs.model(model), "-s", inputs.system(system)]
        words += _options({"gpus": gpus, "rank": rank, **choices}) + inputs.plan(plan)
        if rank is not None:
            return _library.command(words, None, inputs.folder).text
        text = _ask(words, inputs).text
    answer = json.loads(text)
    return Program(_plan(answer["plan"]), _rows(answer, "classes"), text)


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
