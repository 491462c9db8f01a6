"""What a Label Studio project asks: the choices, and the field that they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from xml.etree import ElementTree

import pandas as pd

from aluma.errors import BadInput

#: Tags that show text, and the one that shows a picture; any other is taken for cells of a table.
TEXTS, IMAGE = ("Text", "HyperText", "Paragraphs"), "Image"


@dataclass(frozen=True)
class Question:
    """One choice among several about every task.

    Attributes
    ----------
    name, about : names of the ``Choices`` tag and of the tag that it is about
    labels : the choices, in their order
    field : the field of a task that is shown
    kind : what it holds
    """

    name: str
    about: str
    labels: tuple[str, ...]
    field: str
    kind: Literal["text", "image", "table"]

    @classmethod
    def of(cls, config: str) -> Question:
        """Read a labelling configuration, and refuse what cannot be learnt."""
        try:
            root = ElementTree.fromstring(config)
        except ElementTree.ParseError as error:
            raise BadInput(f"the labelling configuration is no XML: {error}.") from error
        found = [tag for tag in root.iter("Choices") if tag.get("choice") != "multiple"]
        if len(found) != 1:
            raise BadInput(
                f"the labelling configuration has {len(found)} single choices, and aluma learns "
                'one: <Choices name="..." toName="..."> with two or more <Choice value="..."/>.'
            )
        labels = tuple(
            tag.get("alias") or tag.get("value") or "" for tag in found[0].iter("Choice")
        )
        if len(set(labels)) < max(2, len(labels)):
            raise BadInput(f"the choices are {labels}: there must be two or more, all different.")
        name, about = found[0].get("name", ""), found[0].get("toName", "")
        shown = next((tag for tag in root.iter() if tag.get("name") == about), None)
        value = "" if shown is None else shown.get("value", "")
        if shown is None or not value.startswith("$"):
            raise BadInput(f'no tag is named {about!r} and shows a field, as in value="$text".')
        kind: Literal["text", "image", "table"] = (
            "text" if shown.tag in TEXTS else "image" if shown.tag == IMAGE else "table"
        )
        return cls(name, about, labels, value.removeprefix("$"), kind)

    def frame(self, tasks: Sequence[dict[str, Any]]) -> pd.DataFrame:
        """Return what tasks show as a table, a row a task."""
        shown = [task["data"].get(self.field) for task in tasks]
        if self.kind == "table" and all(isinstance(one, dict) for one in shown):
            return pd.DataFrame(shown)
        return pd.DataFrame({self.field: [None if one is None else str(one) for one in shown]})

    def answer(self, annotation: dict[str, Any]) -> str | None:
        """Return what an annotation chose; None if it was skipped or chose nothing."""
        if annotation.get("was_cancelled"):
            return None
        for part in annotation.get("result") or ():
            if part.get("from_name") == self.name:
                chosen = (part.get("value") or {}).get("choices") or [None]
                return chosen[0] if chosen[0] in self.labels else None
        return None

    def result(self, label: str | None) -> list[dict[str, Any]]:
        """Return a label as Label Studio has it in predictions; without one, nothing is shown."""
        if label is None:
            return []
        return [
            {
                "from_name": self.name,
                "to_name": self.about,
                "type": "choices",
                "value": {"choices": [label]},
            }
        ]
