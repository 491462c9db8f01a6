"""What travels between the server and the page about people."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from aluma.app.people.names import LONGEST_NAME
from aluma.app.shapes import Card, Label, Name, Position


class Estimate(BaseModel):
    """How often somebody errs: an estimate, with where 95% of what is likely lies."""

    mean: float
    low: float
    high: float


class Person(BaseModel):
    """Somebody, and what they did."""

    name: str
    answers: int
    skipped: int
    shared: int = Field(description="examples that somebody else answered too")
    last: str | None = Field(None, description="when they last answered, as UTC in ISO 8601")
    error: Estimate | None = Field(
        None,
        description="estimated share of wrong answers, if people err independently of each other "
        "and of the example",
    )


class PairOfPeople(BaseModel):
    """How far two people agree."""

    one: str
    other: str
    both: int = Field(description="examples that both answered")
    same: int = Field(description="how many of them alike")
    kappa: float | None = Field(None, description="Cohen's kappa; null where it is not defined")


class Said(BaseModel):
    """An answer and who gave it."""

    who: str
    label: str
    time: str


class Dispute(BaseModel):
    """An example whose answer is in doubt."""

    card: Card
    said: list[Said]
    counts: str = Field(description="the answer that counts now")
    likely: str = Field(description="the answer that is likeliest right: an estimate")
    share: float = Field(description="how likely, if people err independently")
    by: str = Field(description="people if they disagree; model if it speaks against the answer")
    resolved: str | None = Field(None, description="who said which answer is right")


class People(BaseModel):
    """Who labels, how far they agree, and where they do not."""

    me: str
    people: list[Person]
    pairs: list[PairOfPeople]
    alpha: float | None = Field(None, description="Krippendorff's alpha of all, nominal data")
    shared: int = Field(description="examples with answers of two people at least")
    overlap: float = Field(description="share of the questions that is asked twice")
    open: int = Field(description="disagreements that nobody has resolved")
    disputes: list[Dispute] = Field(description="those first, then what is doubted, the latest on")
    link: str | None = Field(None, description="your own link, where names are chosen")


class Resolved(BaseModel):
    """Which answer to an example is the right one."""

    request: Name
    example: Position
    label: Label

    model_config = ConfigDict(extra="forbid")


class Joining(BaseModel):
    """Somebody who says who they are."""

    name: str = Field(min_length=1, max_length=4 * LONGEST_NAME)

    model_config = ConfigDict(extra="forbid")


class Joined(BaseModel):
    """Somebody who was let in."""

    name: str
