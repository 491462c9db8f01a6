"""Beginning a labelling task, or going on with it: features kept, session opened, desk set up."""

from __future__ import annotations

import json
import logging
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from aluma.app import answers, demo, features, guidelines, reading
from aluma.app.board import Task
from aluma.app.carrying import Carried, carried
from aluma.app.desk import Desk
from aluma.app.embedders import TEXTS
from aluma.app.examples import Examples, shown
from aluma.app.features import Features
from aluma.app.people.begin import Wish, check_wish, seated
from aluma.app.rows import UNREADABLE, Rows, change
from aluma.app.slack import learn
from aluma.app.stored import StoredRows, is_stored, of_store
from aluma.errors import BadInput, Conflict, Undecided
from aluma.pool import Pool
from aluma.pool.dask_arrays import connected
from aluma.reading import is_array, read_array
from aluma.reading.texts import How
from aluma.session import Session
from aluma.spaces.history import Event
from aluma.spaces.space import Watch, unwatched
from aluma.visible import counted

logger = logging.getLogger(__name__)

#: Name of what is asked among what a session keeps beside its answers.
QUESTION = "question"
#: Hypotheses that vote. The certificate's bound needs some hundreds; more make questions slower.
HYPOTHESES = 1000
#: Seconds after which it is said how many of the labels that were brought are taken in.
SAY_EVERY = 3.0
#: Share of the labels that may be wrong, and how messy the answers may be, unless told otherwise.
TOLERANCE, SLACK = 0.05, "auto"


@dataclass(frozen=True)
class Wanted:
    """What a user asked for.

    Attributes
    ----------
    source : a table, an array, a folder of images; None for the demonstration
    session : where the answers are kept
    question, yes, no : what is asked; labels may be None and then come from ``label_column``
    guidelines : a file of Markdown that helps to answer; None for what the session has
    answers : any number of labels in place of the two, to which more can be added
    label_column : a column that holds some labels already
    columns : those to make features of; None for all
    table : rows to show beside an array
    embeddings, embed : an array, or a function that makes one, to use as features; or the name of
        a model that a package carries, or of features of texts (:mod:`aluma.app.embedders`)
    tolerance : share of the labels that may be wrong; None for what the session says, or 5%
    slack : how messy the answers may be, or "auto"; None for what the session says, or "auto"
    answers_from : another session whose answers are to be carried over when this one begins
    key : a column that says which row of its table is which of this one
    encoding, header : of a text file, see :class:`aluma.reading.texts.How`; None to find out
    people : several people, who share the session; see :mod:`aluma.app.people.begin`
    scheduler : address of a Dask cluster whose workers read the embeddings and keep them
    """

    source: Path | None
    session: Path
    question: str | None = None
    yes: str | None = None
    no: str | None = None
    answers: Sequence[str] | None = None
    guidelines: Path | None = None
    label_column: str | None = None
    columns: Sequence[str] | None = None
    table: Path | None = None
    embeddings: Path | None = None
    embed: str | None = None
    tolerance: float | None = None
    slack: float | str | None = None
    answers_from: Path | None = None
    key: str | None = None
    encoding: str | None = None
    header: bool | None = None
    people: Wish | None = None
    scheduler: str | None = None
    hypotheses: int = HYPOTHESES


@dataclass(frozen=True)
class Opened:
    """A desk, the features of its examples, and what a user should know."""

    desk: Desk
    features: Features
    notes: list[str]


def opened(wanted: Wanted, say: Callable[[str], None] = logger.info) -> Opened:
    """Open the session of a task, or begin one."""
    _check_wishes(wanted)
    how = How(wanted.encoding, wanted.header)
    examples, column = _examples(wanted, how)
    if not wanted.session.absolute().parent.is_dir():
        raise BadInput(f"there is no folder {wanted.session.parent}: make it, or change --session.")
    labels, grows = _labels(wanted, examples, column)
    before = _answers_before(wanted, examples, labels)
    made, fresh = _features(wanted, examples, column, say)
    session, notes = _session(wanted, made, labels, grows=grows, fresh=fresh)
    labels, begins = answers.of_session(session), not session.log
    if session.n_answers == 0 and column is not None:
        notes += _given(session, examples, column, say)
    if before is not None:
        notes += _take_over(session, before)
    if begins:
        notes += _blank(session, examples)
    if wanted.source is None:
        name, question = demo.NAME, wanted.question or demo.QUESTION
    else:
        name = wanted.source.stem or str(wanted.source)
        question = _question(session, wanted.question, labels)
    tolerance = float(json.loads(session.about["settings"])["tolerance"])
    try:
        helps = tuple(guidelines.brought(session, wanted.guidelines))
    except BadInput:
        session.close()
        raise
    task = Task(name, question, labels, tolerance, answers.grows(session), helps)
    try:
        desk = seated(session, examples, task, wanted.people)
    except BadInput:
        session.close()
        raise
    return Opened(desk, made, [*how.notes, *made.notes, *notes])


def _question(session: Session, wanted: str | None, labels: tuple[str, ...]) -> str:
    """Return what is asked, and keep it: else the answers themselves, of two the second first."""
    kept = session.beside.get(QUESTION)
    if wanted is not None and wanted != kept:
        session.keep_beside({QUESTION: wanted})
    return wanted or kept or answers.in_words(labels if answers.grows(session) else labels[::-1])


def _check_wishes(wanted: Wanted) -> None:
    """Refuse options that would have no effect."""
    check_wish(wanted.people, wanted.slack)
    if wanted.key is not None and wanted.answers_from is None:
        raise BadInput("--key says how to find rows again: name a session with --answers-from too.")
    if wanted.answers_from is not None and wanted.session.exists():
        raise BadInput(
            f"--answers-from is for a new session, and {wanted.session} exists: name another one "
            "with --session, or leave it out to go on."
        )
    if wanted.answers is not None and (wanted.yes is not None or wanted.no is not None):
        raise BadInput("--answers names all of them: leave --yes and --no out.")
    if wanted.answers is not None and wanted.source is None:
        raise BadInput("the demonstration has answers of its own: leave --answers out.")
    if wanted.scheduler is not None and not _are_stored(wanted):
        raise BadInput(
            "--scheduler is for embeddings that workers of a cluster read by themselves: pass them "
            "as --embeddings, a .zarr, .parquet or large .npy file that is found there too."
        )
    if wanted.embeddings is not None and wanted.embed is not None:
        raise BadInput("--embeddings and --embed exclude each other: pass one of them.")
    an_array = wanted.source is not None and is_array(wanted.source)
    own = wanted.embeddings is not None or wanted.embed not in (None, *TEXTS)
    if wanted.columns is not None and (own or an_array):
        raise BadInput("--columns has no effect on embeddings: leave one of the two out.")
    if wanted.table is not None and not an_array:
        raise BadInput(
            "--table is for what an array's rows are about: label the table itself, with the array "
            "as --embeddings."
        )


def _examples(wanted: Wanted, how: How) -> tuple[Examples, str | None]:
    """Return the examples, and the column with labels if there is one."""
    if wanted.source is None:
        return reading.as_examples(demo.messages()[0]), None
    found = reading.read(wanted.source, wanted.table, wanted.label_column, how)
    column = wanted.label_column
    if column is not None and column not in found.frame.columns:
        listed = ", ".join(map(repr, found.frame.columns))
        raise BadInput(f"there is no column {column!r}: the columns are {listed}.")
    return found, column


def _labels(wanted: Wanted, examples: Examples, column: str | None) -> tuple[tuple[str, ...], bool]:
    """Return the answers, and whether there may be more: else they are two, (no, yes)."""
    distinct = sorted(set(_known(examples, column).values())) if column else []
    if wanted.answers is not None:
        named = answers.checked(wanted.answers)
        if wrong := [label for label in distinct if label not in named]:
            raise BadInput(
                f"column {column!r} holds {wrong[0]!r}, which is none of --answers "
                f"{','.join(named)}: name it there too, or empty those cells."
            )
        return named, True
    if len(distinct) > 2 and wanted.yes is None and wanted.no is None:
        return answers.checked(distinct, f"column {column!r}"), True
    return _two_labels(wanted, distinct, column), False


def _two_labels(wanted: Wanted, distinct: list[str], column: str | None) -> tuple[str, str]:
    """Return the two answers, (no, yes)."""
    default = (demo.NO, demo.YES) if wanted.source is None else ("no", "yes")
    if len(distinct) == 2 and wanted.yes is None and wanted.no is None:
        return distinct[0], distinct[1]
    named = [label for label in (wanted.no, wanted.yes) if label is not None]
    rest = [label for label in distinct if label not in named]
    if len(distinct) == 2 and len(rest) == 1:
        default = (rest[0], rest[0])
    no, yes = wanted.no or default[0], wanted.yes or default[1]
    if no == yes:
        raise BadInput(f"both answers are called {yes!r}: name them with --yes and --no.")
    if wrong := [label for label in distinct if label not in (no, yes)]:
        raise BadInput(
            f"column {column!r} holds {wrong[0]!r}, which is neither {no!r} nor {yes!r}: name the "
            "two answers with --yes and --no, or all with --answers, and leave cells without an "
            "answer empty."
        )
    return no, yes


def _known(examples: Examples, column: str) -> dict[int, str]:
    """Return the labels that a column holds already."""
    values = examples.frame[column]
    if values.dtype.kind == "f" and (values.dropna() % 1 == 0).all():
        # A column of integers with missing cells is read as floats.
        values = values.astype("Int64")
    texts = ((i, "" if value is None else shown(value)) for i, value in enumerate(values))
    return {i: text for i, text in texts if text and text != "<NA>"}


def _features(
    wanted: Wanted, examples: Examples, column: str | None, say: Callable[[str], None]
) -> tuple[Features, bool]:
    """Return the features as they were kept when the session began, or new ones.

    They are kept because the last bits of a decomposition depend on the machine, and a session is
    about exactly the numbers it began with.
    """
    path = wanted.session.with_suffix(".features.npz")
    digest = _digest(wanted)
    if path.exists() and wanted.session.exists():
        try:
            kept, of = Features.load(path)
        except UNREADABLE as error:
            raise BadInput(
                f"{path} cannot be read ({error}): restore it from a copy. If there is none, move "
                "it away: the features are then made again, which works on the machine and the "
                "versions that they were made with."
            ) from error
        if _are_stored(wanted) and of == digest and len(kept.X) == 0:
            return _made(wanted, examples, column), False
        if of != digest or len(kept.X) != len(examples):
            raise _edited(wanted, examples, same_files=of.split(" ")[0] == digest.split(" ")[0])
        return kept, False
    say("Reading the examples and making features of them.")
    made = _made(wanted, examples, column)
    # What stays in a file of its own is not written here as well.
    written = replace(made, X=made.X[:0]) if _are_stored(wanted) else made
    written.save(path, digest, **Rows.of(examples.frame).arrays())
    return made, True


def _are_stored(wanted: Wanted) -> bool:
    return wanted.embeddings is not None and is_stored(wanted.embeddings)


def _edited(wanted: Wanted, examples: Examples, *, same_files: bool) -> BadInput:
    """Return what to say about a table, or options, that are not what the session began with."""
    begun = f"since {wanted.session} was begun"
    if same_files:
        return BadInput(
            f"the options (--columns, --embed, --label-column) have changed {begun}: put them back "
            "as they were, or begin another session with --session."
        )
    old, new = Rows.load(wanted.session.with_suffix(".features.npz")), Rows.of(examples.frame)
    what = None if old is None else change(old, new)
    if old is None or what is None:
        why = "" if old is None else " Its rows read as they did, but not the bytes of the files."
        return BadInput(
            f"{wanted.source} or the options have changed {begun}.{why} Put them back as they "
            "were, or begin another session with --session."
        )
    other = wanted.session.with_name(f"{wanted.session.stem}-2{wanted.session.suffix}")
    way = f"--session {shlex.quote(str(other))} --answers-from {shlex.quote(str(wanted.session))}"
    if key := old.key_with(new):
        way += f" --key {shlex.quote(key)}"
    return BadInput(
        f"{wanted.source} has changed {begun}: {what}. Put it back as it was, or carry the answers "
        f"over into another session, with the same options and: {way}"
    )


def _made(wanted: Wanted, examples: Examples, column: str | None) -> Features:
    if wanted.embed is not None:
        return features.of_function(wanted.embed, examples, wanted.columns, column)
    given = wanted.embeddings
    if given is None and wanted.source and is_array(wanted.source):
        given = wanted.source
        if examples.images is not None:
            return features.of_examples(examples)
    if given is None:
        return features.of_examples(examples, wanted.columns, column)
    if _are_stored(wanted):
        made = of_store(given, connected(wanted.scheduler))
        array: Any = made.X
    else:
        array = read_array(given)
    if len(array) != len(examples):
        raise BadInput(
            f"{given} has {len(array):,} rows, and there are {len(examples):,} examples: they must "
            "belong together, row by row."
        )
    return made if _are_stored(wanted) else features.of_array(array, given.name)


def _digest(wanted: Wanted) -> str:
    files = [path for path in (wanted.source, wanted.embeddings, wanted.table) if path is not None]
    read = [one for one in (wanted.encoding, wanted.header) if one is not None]
    options = json.dumps([wanted.columns, wanted.embed, wanted.label_column, *read])
    return f"{reading.digest(files)} {options}"


def _session(
    wanted: Wanted, made: Features, labels: tuple[str, ...], *, grows: bool, fresh: bool
) -> tuple[Session, list[str]]:
    if not wanted.session.exists():
        created = Session.create(
            wanted.session,
            _pool(made),
            classes=None if grows else labels,
            beside=answers.written(labels) if grows else None,
            bias=True,
            n_hypotheses=wanted.hypotheses,
            tolerance=TOLERANCE if wanted.tolerance is None else wanted.tolerance,
            slack=SLACK if wanted.slack is None else wanted.slack,
            promise="audited",
        )
        return created, [f"Answers are kept in {wanted.session}."]
    if fresh:
        logger.warning("the features of %s are missing and were made again", wanted.session)
    session = Session.open(wanted.session, _pool(made))
    try:
        _check_labels(wanted, session, labels, grows=grows)
    except BadInput:
        session.close()
        raise
    going_on = f"Going on with {answers.kept(session)} from {wanted.session}."
    return session, [going_on, *_as_begun(wanted, session)]


def _pool(made: Features) -> Pool:
    """Return the features as a pool."""
    return Pool(made.X.pool if isinstance(made.X, StoredRows) else made.X, prepared=True)


def _check_labels(
    wanted: Wanted, session: Session, labels: tuple[str, ...], *, grows: bool
) -> None:
    """Refuse other answers than those of the session; those added on the way stay."""
    before = answers.of_session(session)
    if not answers.grows(session):
        if before != labels:
            raise BadInput(
                f"the answers in {wanted.session} are {before[1]!r} and {before[0]!r}: name them "
                "so with --yes and --no, or begin another session with --session."
            )
        return
    unnamed = wanted.answers is wanted.yes is wanted.no is None
    if not grows and not unnamed:
        listed = ",".join(before)
        raise BadInput(
            f"the answers in {wanted.session} are {listed}: name them with --answers or not at "
            "all, or begin another session with --session."
        )
    if grows and (new := [label for label in labels if label not in before]):
        raise BadInput(
            f"{new[0]!r} is none of the answers in {wanted.session}, {', '.join(before)}: add it "
            "on the page, or begin another session with --session."
        )


def _as_begun(wanted: Wanted, session: Session) -> list[str]:
    """Say which wishes do not count, because the session was begun with others."""
    settings, notes = json.loads(session.about["settings"]), []
    if wanted.tolerance not in (None, settings["tolerance"]):
        notes.append(
            f"This session was begun with --stop-at {settings['tolerance']:g}, and that counts: "
            f"{wanted.tolerance:g} would need another one, with --session."
        )
    slack = settings.get("slack", 0)
    if wanted.slack not in (None, slack):
        notes.append(
            f"This session was begun with --slack {slack}, and that counts: "
            f"{wanted.slack} would need another one, with --session."
        )
    if not session.fork().parts.promise.audits:
        notes.append(
            "It was begun before labels were checked at random: its figures are estimates. Export "
            "the labels and run aluma check on the file to find out how many are wrong."
        )
    return notes


def _given(
    session: Session, examples: Examples, column: str, say: Callable[[str], None]
) -> list[str]:
    """Tell the labels that a column holds; what contradicts the others becomes an exception."""
    known = _known(examples, column)
    if not known:
        return []
    say(f"Taking in {len(known):,} labels from column {column!r}.")
    aside: dict[int, Any] = {}
    try:
        learn(session, known, _progress(len(known), say))
    except (Conflict, Undecided):
        aside = _one_by_one(session, known, _progress(len(known), say))
    labels = counted(len(known), "label")
    note = f"{labels} from column {column!r} {'counts' if len(known) == 1 else 'count'} as answers."
    if aside:
        which = "contradicts" if len(aside) == 1 else "contradict"
        note += (
            f" {len(aside):,} of them {which} the others (no straight boundary fits them all), and "
            "are kept as exceptions that nothing is learnt from."
        )
    return [note]


def _progress(whole: int, say: Callable[[str], None]) -> Watch:
    """Return what says now and then how many answers have been taken in."""
    said = monotonic()

    def watch(done: int) -> None:
        nonlocal said
        if monotonic() - said >= SAY_EVERY:
            said = monotonic()
            say(f"{done:,} of {whole:,} are taken in.")

    return watch


def _answers_before(wanted: Wanted, examples: Examples, labels: tuple[str, ...]) -> Carried | None:
    """Return the answers of the session that is to be carried over, if there is one."""
    if wanted.answers_from is None:
        return None
    found = carried(wanted.answers_from, wanted.key, Rows.of(examples.frame))
    unknown = {*found.told.values(), *found.aside.values()} - set(labels)
    if unknown:
        raise BadInput(
            f"{wanted.answers_from} has the answer {min(map(str, unknown))!r}, which is none of "
            f"{', '.join(map(repr, labels[:-1]))} and {labels[-1]!r}: name the answers alike, "
            f"with {'--yes and --no' if wanted.answers is None else '--answers'}."
        )
    return found


def _take_over(session: Session, before: Carried) -> list[str]:
    """Take over the answers of another session; what contradicts the others is an exception."""
    try:
        learn(session, before.told)
    except (Conflict, Undecided):
        _one_by_one(session, before.told)
    for example in before.skipped:
        session.skip(example)
    for example, label in before.aside.items():
        session.skip(example, label=label)
    return [before.words()]


def _blank(session: Session, examples: Examples) -> list[str]:
    """Say how many rows there are in which there is nothing to see.

    They are not skipped for anybody: a check that draws a skipped one counts as wrong, so that
    with a few percent of them no check would ever pass.
    """
    blank = set(examples.blank()) - {entry.example for entry in session.kept}
    if not blank or len(blank) == len(examples):
        return []
    rows = "1 row is" if len(blank) == 1 else f"{len(blank):,} rows are"
    return [
        f"{rows} empty. The page says so where one is asked about: answer what such a row is to be "
        "labelled, or remove them from the file and begin again. (A check that is skipped counts "
        "as wrong.)"
    ]


def _one_by_one(
    session: Session, known: Mapping[int, str], watch: Watch = unwatched
) -> dict[int, str]:
    """Learn from the labels that agree with those before; return the others, kept as exceptions."""
    learner, aside = session.fork(), dict[int, str]()
    labels = learner.labels
    signs = {label: labels.sign(label) for label in known.values()}
    learner.labels = labels
    for number, (example, label) in enumerate(known.items(), start=1):
        watch(number)
        try:
            learner.replay([*learner.history, Event(example, signs[label])])
        except (Conflict, Undecided):
            aside[example] = label
    session.adopt(learner)
    for example, label in aside.items():
        session.skip(example, label=label)
    return aside


def demo_answers() -> dict[int, str]:
    """Return what the demonstration's messages are, for scripts and tests that play the person."""
    return dict(enumerate(demo.messages()[1]))
