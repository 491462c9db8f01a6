"""What travels between the server and the page when labels are reviewed."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, Field

from aluma.app.shapes import Found

#: What is looked through: labels that nobody gave, answers that strain the fit, all answers, or
#: examples that were skipped.
What: TypeAlias = Literal["unanswered", "strained", "answered", "skipped"]
#: How sure the vote is; a vote of less than UNSURE_SHARE (:mod:`aluma.app.review`) is unsure.
Certainty: TypeAlias = Literal["any", "unsure", "sure"]


class Reviewed(Found):
    """A part of what is to be looked through, in an order that stays while somebody does."""

    of: str = Field(description="names the order: pass it with the next offset")
    answers: int = Field(description="answers that the votes come of")
    withheld: int = Field(
        0, description="labels left out because they are about to be checked at random"
    )
    people: list[str] = Field(
        default_factory=list, description="who said something, in a session of several"
    )


class Piece(BaseModel):
    """A part of a text, and how much it speaks for the vote."""

    text: str
    weight: float = Field(description="from -1, against, to 1, for; 0 says nothing")


class Column(BaseModel):
    """A column, its value, and how much it speaks for the vote."""

    name: str
    value: str
    weight: float = Field(description="from -1, against, to 1, for")


class Why(BaseModel):
    """What speaks for the vote on an example: it explains the model, not the world."""

    example: int
    label: str = Field(description="what the vote says; empty if it says nothing")
    against: Annotated[str, Field(description="the answer that it is set against")] = ""
    pieces: Annotated[list[Piece], Field(description="the text in order, with its weights")] = []
    columns: Annotated[list[Column], Field(description="those with the largest weights first")] = []
    note: Annotated[str, Field(description="why there is nothing to show")] = ""
