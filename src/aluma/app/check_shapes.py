"""What travels between the server and the page on which labels are checked."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from aluma.app.shapes import Card, Name, Position, Shown

#: A label that a person gives; those of a file may be longer, and need not be repeated.
Said = Annotated[str, Field(min_length=1, max_length=1000, pattern=r"\S")]


class Checked(BaseModel):
    """A check that was answered."""

    card: Card
    given: str = Field(description="the label that the file gives")
    answer: str = Field(description="the label that the person gave")
    wrong: bool = Field(description="whether the two differ; the answer is then exported")


class Evidence(BaseModel):
    """What the checks show, in figures and in the words that the page shows."""

    size: int = Field(description="labels in all")
    known: int = Field(description="labels that a person gave; they count as right")
    checked: int
    wrong: int = Field(description="found wrong, and put right")
    bound: float = Field(description="at most this share is wrong now, except with delta")
    lower_bound: float = Field(description="at least this share is wrong now, except with delta")
    estimate: float | None = Field(description="share that is wrong; no promise")
    tolerance: float = Field(description="the goal for the bound")
    delta: float
    remaining: int = Field(description="checks to the goal, if all find the label right")
    passed: bool
    failed: bool
    headline: str
    outlook: str
    guess: str
    verdict: str = Field(description="empty while it has neither passed nor failed")
    advice: str = Field(description="what to do where it has failed")
    statement: str = Field(description="what can be said today, in one exact sentence")


class CheckState(Shown):
    """All that the page needs to know."""

    version: int = Field(description="lines of the file of answers, those taken back included")
    session: str = Field(description="names the audit: another one has another")
    name: str
    column: str = Field(description="the column that holds the labels")
    labels: list[str] = Field(description="labels there may be, frequent ones first")
    more_labels: int = Field(description="labels that are left out of the list")
    closed: bool = Field(description="whether no other label is taken")
    blind: bool = Field(description="whether the file's label is hidden until the answer")
    question: Card | None = Field(description="the example to check, None if none is left")
    given: str | None = Field(description="the label that the file gives, None if it is hidden")
    last: list[Checked] = Field(description="the latest checks, newest first")
    evidence: Evidence


class CheckAnswer(BaseModel):
    """What a person says about the example that was drawn."""

    request: Name
    example: Position
    label: Said | None = Field(None, description="the right label; without it, the file's is right")
    new: bool = Field(False, description="the label is meant, though it did not occur so far")

    model_config = ConfigDict(extra="forbid")
