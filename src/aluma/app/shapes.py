"""What travels between the server and the page: the words of the HTTP interface."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

#: Characters of a note.
LONGEST_NOTE = 2_000
#: Names that clients make up for their requests: asking again by the same name changes nothing.
Name = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._-]+$")]


def _number(value: object) -> object:
    """Refuse what JSON does not call a number."""
    if isinstance(value, bool | str):
        raise ValueError("this must be a whole number")
    return value


#: Position of an example in the pool. JavaScript's whole numbers end at 2**53.
Position = Annotated[int, Field(ge=0, lt=2**53), BeforeValidator(_number)]
Label = Annotated[str, Field(min_length=1, max_length=200)]


class Value(BaseModel):
    """A cell of a row."""

    name: str
    value: str


class Card(BaseModel):
    """An example as it is shown."""

    example: int = Field(description="position in the pool, from 0")
    title: str
    kind: Literal["text", "image", "row"]
    text: str = Field("", description="the beginning of the text, or all of it")
    more: int = Field(0, description="characters of the text that are left out")
    image: str | None = Field(None, description="where the image is")
    fields: list[Value] = Field([], description="what is shown beside the text")
    more_fields: int = Field(0, description="columns that are left out")
    check: Annotated[bool, Field(description="drawn at random to check the labels")] = False
    note: Annotated[str, Field(description="what the person noted about it")] = ""


class Verdict(BaseModel):
    """An example with the answer it was given, or the vote on it."""

    card: Card
    label: str = Field(description="empty for a vote before anything was answered")
    by: Literal["person", "exception", "vote"]
    share: float = Field(
        description="share of the votes for this label, no probability of its being right; 1 for "
        "a person's"
    )
    doubt: Annotated[
        float, Field(description="share of the hypotheses that dispute an answer; 1 if set aside")
    ] = 0.0
    said: Annotated[
        dict[str, str], Field(description="what each person answered, where there are several")
    ] = {}


class Clash(BaseModel):
    """Answers that cannot all be true."""

    message: str
    example: int
    label: str
    with_: list[Verdict] = Field(alias="with", description="earlier answers, with their examples")
    slack: bool = Field(description="whether going on with slack is possible")

    model_config = ConfigDict(populate_by_name=True)


class Next(BaseModel):
    """What follows an answer: another question, nothing, or a clash."""

    question: Card | None = None
    clash: Clash | None = None


class Figures(BaseModel):
    """What was checked after some answers, and what may be expected."""

    answers: int
    basis: Literal["audit", "prior"] = Field(
        "prior", description="what error_bound rests on: checks at random, or an assumption"
    )
    checks: int = Field(0, description="labels checked at random in the audit that goes on")
    wrong_found: int = Field(
        0, description="how many of them were wrong, which are put right, or skipped"
    )
    skipped_checks: int = Field(
        0,
        description="how many of those were skipped; nobody has put them right",
    )
    error_bound: float = Field(
        description="at most this share of the labels is wrong, except with probability delta: "
        "whatever the data if basis is audit, else if a straight boundary fits"
    )
    estimate: float | None = Field(None, description="share of wrong labels, by the checks")
    remaining: int | None = Field(None, description="checks to the goal if all are right")
    remaining_at_rate: int | None = Field(
        None, description="checks to the goal if as many are wrong as so far; null if never"
    )
    judged: int = Field(0, description="answers that what follows is about")
    determined: int = Field(description="labels that follow if a straight boundary fits")
    expected_error: float | None = Field(None, description="share of wrong labels to expect")
    expected_by: Literal["boundary", "checks"] = Field(
        "boundary",
        description="whether that holds if a straight boundary fits, or goes by the last checks",
    )
    credible_bound: float | None = Field(
        None, description="a bound on it, for boundaries that fit, except with probability delta"
    )
    delta: float = 0.05


class FailedCheck(BaseModel):
    """The latest audit that ended without being passed."""

    number: int = Field(description="how many have ended so, this one included")
    checks: int
    wrong: int = Field(description="how many of them were wrong, or skipped")
    skipped: int = Field(0, description="how many of those were skipped")
    since: int = Field(description="answers since then")
    answer_changed: bool = Field(description="it ended because an earlier answer was changed")


class Progress(BaseModel):
    """How far the labelling is."""

    size: int
    answered: int
    positive: int = Field(description="how many of the answers are the second one")
    counts: list[int] = Field(description="how many there are of each answer, in their order")
    skipped: int
    exceptions: int = Field(description="answers kept without being learnt from")
    tolerance: float = Field(description="share of the labels that may be wrong")
    every: bool = Field(description="whether so little may be wrong that all must be answered")
    phase: Literal["learning", "checking", "finished"] = Field(
        description="what the question is for; finished when a check was passed"
    )
    both_seen: bool = Field(description="whether two different answers have been given")
    checks_by: int | None = Field(
        None, description="while learning: the number of answers after which checks begin at latest"
    )
    to_come: int | None = Field(
        None,
        description="answers to come: until checks begin at the latest, and about as many checks "
        "as it takes if all are right; null if nobody can say",
    )
    figures: Figures | None = Field(None, description="they may be some answers behind")
    failed: FailedCheck | None = None
    out_of_reach: str | None = Field(None, description="why the goal cannot be reached")
    finished: bool = Field(description="whether a check was passed, or nothing is left to ask")
    exhausted: bool = Field(description="whether nothing is left to ask")


class Shown(BaseModel):
    """Something that changes, and can be waited for."""

    tick: str = Field(description="pass it as `after` to wait for the next state")


class State(Shown):
    """All that a page needs to know."""

    version: int = Field(description="entries of the session's log")
    session: str = Field(description="names the session: another one has another")
    name: str
    question_text: str
    labels: list[str] = Field(description="the answers in their order; of two: no, yes")
    grows: bool = Field(description="whether answers can be added")
    guidelines: bool = Field(description="whether there are guidelines")
    question: Card | None
    ahead: dict[str, Next] = Field(description="what follows each label, as far as it is known")
    spare: list[Card] = Field(description="as good as the next question, should that be late")
    last: list[Verdict] = Field(description="the latest answers, newest first")
    progress: Progress
    curve: list[Figures]
    busy: str | None = Field(None, description="what takes longer just now")
    slack: bool = Field(description="whether going on with slack is possible")
    me: Annotated[str, Field(description="who you are, where several people label")] = ""
    mine: Annotated[int, Field(description="how many answers and skips are yours")] = 0
    disputes: Annotated[int, Field(description="disagreements that nobody has resolved")] = 0


class Receipt(BaseModel):
    """An answer is on the disk."""

    version: int
    repeated: bool = Field(False, description="the request had been carried out before")
    example: int | None = None


class Answer(BaseModel):
    """An answer to one example, asked or not."""

    request: Name
    example: Position
    label: Label
    showing: Position | None = Field(None, description="the example that the page shows next")

    model_config = ConfigDict(extra="forbid")


class Skip(BaseModel):
    """An example that is not to be asked about."""

    request: Name
    example: Position
    showing: Position | None = None

    model_config = ConfigDict(extra="forbid")


class Added(BaseModel):
    """An answer that there is to be from now on."""

    request: Name
    label: Label

    model_config = ConfigDict(extra="forbid")


class Note(BaseModel):
    """A note about an example; an empty one takes it away."""

    request: Name
    example: Position
    text: str = Field(max_length=LONGEST_NOTE)

    model_config = ConfigDict(extra="forbid")


class Plain(BaseModel):
    """A request that needs no more than its name."""

    request: Name

    model_config = ConfigDict(extra="forbid")


class Found(BaseModel):
    """A part of a list."""

    total: int
    items: list[Verdict]


class Problem(BaseModel):
    """Why a request was refused."""

    detail: str
    clash: Clash | None = None
