"""What the classes of models, plans and results have in common: rows, and how a notebook shows them."""
from __future__ import annotations

import dataclasses
import html
import itertools
import json
import keyword
import os
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

_STYLE = (
    "border-collapse:collapse;font:13px system-ui,sans-serif;color:inherit;"
    "font-variant-numeric:tabular-nums"
)
_CELL = "padding:2px 10px;text-align:{};border-bottom:1px solid #8884"


def _cell(value: Any, tag: str = "td") -> str:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    text = "" if value is None else format(value, ".6g") if isinstance(value, float) else str(value)
    return f'<{tag} style="{_CELL.format("right" if number else "left")}">{html.escape(text)}</{tag}>'


def table(head: List[str], rows: List[List[Any]]) -> str:
    """An HTML table that needs nothing else and takes its colours from what is around it."""
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    top = "<tr>" + "".join(_cell(name, "th") for name in head) + "</tr>" if head else ""
    return f'<div style="overflow-x:auto"><table style="{_STYLE}">{top}{body}</table></div>'


_numbers = itertools.count()


def drawn(charts: List[Any]) -> str:
    """Charts, in the colours of what is around them, light or dark: the script of the reports draws
    them where the notebook lets scripts run."""
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


@dataclasses.dataclass
class Document(Record):
    """A model: the keys of its file, and what it is called."""

    id: str = "model"
    name: Optional[str] = None
    description: Optional[str] = None
    source: Any = None

    def to_json(self) -> str:
        """The text of its file."""
        whole = {key: value for key, value in self.said().items() if key != "id"}
        whole["source"] = whole.pop("source", None) or "changed in Python"
        return json.dumps(whole, indent=4)


_types: Dict[Tuple[str, Tuple[str, ...]], type] = {}


def record(name: str, values: Dict[str, Any]) -> Record:
    """A dataclass of these members (`class_` for what JSON calls "class"); those with the same
    members are of one class."""
    values = {k + "_" if keyword.iskeyword(k) else k: v for k, v in values.items()}
    key = (name, tuple(values))
    if key not in _types:
        fields = [(member, Any, None) for member in values]
        _types[key] = dataclasses.make_dataclass(name, fields, bases=(Record,))
    return _types[key](**{k: convert(k, v) for k, v in values.items()})


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
    """Rows of a table; `pandas.DataFrame(rows)` takes them as they are."""

    def columns(self) -> List[str]:
        return list(dict.fromkeys(key for row in self for key in row.keys()))

    def dicts(self) -> List[Dict[str, Any]]:
        return [dict(row) for row in self]

    def column(self, name: str) -> List[Any]:
        return [row[name] for row in self]

    def _repr_html_(self) -> str:
        columns = self.columns()
        return table(columns, [[dict(row).get(name) for name in columns] for row in self])


