"""What the classes of models, plans and results have in common: rows, and how a notebook shows them."""
from __future__ import annotations

import dataclasses
import html
import itertools
import json
import keyword
import os
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

_STYLE = (
    "border-collapse:collapse;font:13px system-ui,sans-serif;color:inherit;"
    "font-variant-numeric:tabular-nums"
)
_CELL = "padding:2px 10px;text-align:{};border-bottom:1px solid #8884"


def _quantity(name: str, value: float) -> str:
    """A number as the command line prints it, by the unit that its name ends in."""
    if name.endswith("_bytes"):
        return f"{value / 2**30:.2f} GiB"
    if name in ("mfu", "hfu") or name.endswith("share"):
        return f"{100 * value:.1f} %"
    if name.endswith("_s") and not name.endswith("per_s"):
        return f"{value:.4g} s" if value >= 1 or value <= 0 else f"{1e3 * value:.4g} ms"
    return f"{value:,.0f}" if abs(value) >= 1e5 else format(value, ".6g")


def _cell(value: Any, tag: str = "td", name: str = "") -> str:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    text = "" if value is None else _quantity(name, value) if isinstance(value, float) else str(value)
    return f'<{tag} style="{_CELL.format("right" if number else "left")}">{html.escape(text)}</{tag}>'


def table(head: List[str], rows: List[List[Any]]) -> str:
    """An HTML table that needs nothing else and takes its colours from what is around it."""
    def line(row: List[Any]) -> str:  # without a head the first cell of a row names the second
        names = head or ["", str(row[0])]
        return "".join(_cell(value, "td", name) for value, name in itertools.zip_longest(row, names, fillvalue="")) \
            if len(names) >= len(row) else "".join(map(_cell, row))

    body = "".join("<tr>" + line(row) + "</tr>" for row in rows)
    top = "<tr>" + "".join(_cell(name, "th") for name in head) + "</tr>" if head else ""
    return f'<div style="overflow-x:auto"><table style="{_STYLE}">{top}{body}</table></div>'


_numbers = itertools.count()


def drawn(charts: List[Any]) -> str:
    """Charts, in the colours of what is around them, light or dark: the script of the reports draws
    them where the notebook lets scripts run."""
    if not charts:
        return ""
    place = f"reckon-charts-{os.getpid()}-{next(_numbers)}"
    around = "--card:transparent;--ink:currentColor;--soft:currentColor;--line:#8886;--hover:#8882"
    here = Path(__file__).parent
    script = (here / "charts.js").read_text(encoding="utf-8")
    data = json.dumps(charts).replace("<", "\\u003c")
    return (
        f'<div id="{place}" style="{around}"></div><style>{(here / "charts.css").read_text()}</style>'
        f"<script>(function () {{\n{script}\n"
        f'const place = document.getElementById("{place}");\n'
        f"for (const chart of {data}) {{\n"
        '  const title = document.createElement("h4"), plot = document.createElement("div");\n'
        '  title.textContent = chart.title;\n  plot.className = "plot";\n'
        "  place.append(title, plot);\n  reckonCharts.open(plot, chart);\n}\n})();</script>"
    )


def frame(columns: Mapping[str, Any]) -> Any:
    """A pandas.DataFrame of columns."""
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("to_pandas() needs pandas: pip install pandas") from missing
    return pandas.DataFrame(dict(columns))


class Columns(Dict[str, Any]):
    """Columns of equal length by name, in their order; pandas.DataFrame takes them as they are."""

    def to_pandas(self) -> Any:
        """The columns as a pandas.DataFrame."""
        return frame(self)

    def rows(self) -> Iterator[Dict[str, Any]]:
        """Row by row, as dicts."""
        return (dict(zip(self, row)) for row in zip(*self.values()))

    def __str__(self) -> str:
        return aligned(list(self), list(zip(*self.values())))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return table(list(self), [list(row) for row in zip(*self.values())])


def aligned(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table of plain text: numbers to the right, texts to the left."""
    cells = [["" if v is None else format(v, ".6g") if isinstance(v, float) else str(v) for v in row] for row in rows]
    right = [all(isinstance(row[i], (int, float)) or row[i] is None for row in rows) for i in range(len(head))]
    wide = [max(len(row[i]) for row in [list(head), *cells]) for i in range(len(head))]
    lines = [
        "  ".join(text.rjust(w) if r else text.ljust(w) for text, w, r in zip(row, wide, right)).rstrip()
        for row in [list(head), *cells]
    ]
    return "\n".join(lines)


class Record:
    """A dataclass that is also read by name, `record["step_s"]`, and as pairs, `dict(record)`."""

    def keys(self) -> List[str]:
        return [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]

    def __getitem__(self, name: str) -> Any:
        try:
            return getattr(self, name)
        except AttributeError:
            raise KeyError(name) from None

    def said(self) -> Dict[str, Any]:
        """Those that are not None."""
        return {key: self[key] for key in self.keys() if self[key] is not None}

    def _repr_html_(self) -> str:
        return table([], [[key, value] for key, value in self.said().items()])


class Choices(Record):
    """A plan: str(plan) is its line of words, which every question takes."""

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__.pop("_words", None)
        object.__setattr__(self, name, value)

    def __str__(self) -> str:
        words = self.__dict__.get("_words")
        return words if words is not None else " ".join(_word(k, v) for k, v in self.said().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def _repr_html_(self) -> str:
        return html.escape(str(self))


def _word(key: str, value: Any) -> str:
    if isinstance(value, bool):
        value = "yes" if value else "no"
    return f"{key}={'+'.join(value) if isinstance(value, (list, tuple)) else value}"


@dataclasses.dataclass
class Document(Record):
    """A model: the keys of its file, and what it is called."""

    id: str = "model"
    name: Optional[str] = None
    description: Optional[str] = None
    config: Any = None  # what it computes beyond its shape: a config.json of Hugging Face
    source: Any = None

    def to_json(self) -> str:
        """The text of its file."""
        whole = {key: value for key, value in self.said().items() if key != "id"}
        whole["source"] = whole.pop("source", None) or "changed in Python"
        return json.dumps(whole, indent=4)


_types: Dict[Tuple[str, Tuple[str, ...]], type] = {}

#: From words or members, and what the row has beside them, to the Plan; the package sets it.
plan_of: Callable[[Any, Mapping[str, Any]], Any] = lambda words, beside: words


class _PlanMember:
    """A plan in one line becomes a Plan when it is asked for."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, row: Any, owner: Any = None) -> Any:
        if row is None:
            return None
        value = row.__dict__[self.name]
        if isinstance(value, str):
            value = row.__dict__[self.name] = plan_of(value, row.__dict__)
        return value

    def __set__(self, row: Any, value: Any) -> None:
        row.__dict__[self.name] = value


def _is_plan(member: str) -> bool:
    return member == "plan" or member.endswith("_plan")


def record(name: str, values: Dict[str, Any]) -> Record:
    """A dataclass of these members (`class_` for what JSON calls "class"); those with the same
    members are of one class."""
    values = {k + "_" if keyword.iskeyword(k) else k: v for k, v in values.items()}
    key = (name, tuple(values))
    if key not in _types:
        fields = [(member, Any, None) for member in values]
        _types[key] = dataclasses.make_dataclass(name, fields, bases=(Record,))
        for member in filter(_is_plan, values):
            setattr(_types[key], member, _PlanMember(member))
    return _types[key](**{k: _member(k, v, values) for k, v in values.items()})


def _member(name: str, value: Any, beside: Dict[str, Any]) -> Any:
    plan = plan_of(value, beside) if isinstance(value, dict) and _is_plan(name) else None
    return convert(name, value) if plan is None else plan


def convert(name: str, value: Any) -> Any:
    """What JSON has as a value of Python: objects as records, lists of objects as rows."""
    if isinstance(value, dict):
        return record(_class_name(name), value)
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return Rows(record(_class_name(name), item) for item in value)
    return value


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_")) or "Record"


class Rows(List[Record]):
    """Rows of a table."""

    def columns(self) -> List[str]:
        return list(dict.fromkeys(key for row in self for key in row.keys()))

    def dicts(self) -> List[Dict[str, Any]]:
        return [dict(row) for row in self]

    def column(self, name: str) -> List[Any]:
        return [row[name] for row in self]

    def _cells(self) -> List[List[Any]]:
        """As they are printed: plans in one line, nothing where a row has not the column."""
        columns = self.columns()
        return [[row.__dict__.get(name) for name in columns] for row in self]

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame; plans in one line."""
        rows = [[str(cell) if isinstance(cell, Record) else cell for cell in row] for row in self._cells()]
        return frame(dict(zip(self.columns(), map(list, zip(*rows)))))

    def __str__(self) -> str:
        return aligned(self.columns(), self._cells())

    def _repr_html_(self) -> str:
        return table(self.columns(), self._cells())
