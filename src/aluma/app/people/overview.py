"""Who labels, how far they agree, how often each errs, and which answers are in doubt."""

from __future__ import annotations

from collections.abc import Mapping

from aluma.app.people import agreement
from aluma.app.people.consensus import by_example, disputed
from aluma.app.people.learning import told
from aluma.app.people.reliability import Reliability
from aluma.app.people.shapes import Dispute, Estimate, PairOfPeople, People, Person, Said
from aluma.app.people.team import Team
from aluma.session.voices import Voice, resolutions

#: Disputes that are listed, at most.
MOST_DISPUTES = 100
#: An answer that nobody disputes is doubted when another is so likely.
DOUBTED = 0.8
#: Errors are shown from so many answers on: before, they say no more than what was assumed.
FEWEST = 10


def overview(team: Team, me: str, base: str) -> People:
    """Return what somebody sees of the people.

    Parameters
    ----------
    me : who looks
    base : where the page is
    """
    voices, names = team.voices, team.names
    given = agreement.answers_by_example(voices)
    known, shared = team.judged(), {i for i, by in given.items() if len(by) > 1}
    disputes = _disputes(team, given, known)
    link = f"{base}?token={team.admission.token(me)}" if team.admission.asks else None
    return People(
        me=me,
        people=[_person(name, voices, shared, known) for name in names],
        pairs=[
            PairOfPeople(one=p.one, other=p.other, both=p.both, same=p.same, kappa=p.kappa)
            for p in agreement.pairs(given, names)
        ],
        alpha=agreement.alpha(given.values()),
        shared=len(shared),
        overlap=team.overlap,
        open=sum(one.by == "people" and one.resolved is None for one in disputes),
        disputes=disputes[:MOST_DISPUTES],
        link=link,
    )


def _person(name: str, voices: list[Voice], shared: set[int], known: Reliability) -> Person:
    mine = [voice for voice in voices if voice.who == name]
    answered = [voice for voice in mine if voice.label is not None]
    error = known.errors.get(name) if len(answered) >= FEWEST else None
    return Person(
        name=name,
        answers=len(answered),
        skipped=len(mine) - len(answered),
        shared=sum(voice.example in shared for voice in answered),
        last=mine[-1].time if mine else None,
        error=None if error is None else Estimate(mean=error.mean, low=error.low, high=error.high),
    )


def _disputes(
    team: Team, given: Mapping[int, Mapping[str, str]], known: Reliability
) -> list[Dispute]:
    """Return what is in doubt: open disagreements, what is doubted, what was resolved."""
    right, counts = resolutions(team.session.log), {**told(team.session), **team.waiting}
    times = {(voice.who, voice.example): voice.time for voice in team.voices}
    differ = {i for i, by in by_example(team.voices).items() if disputed(by)}
    labels, found = team.task.labels, list[tuple[int, str, Dispute]]()
    for example, shares in zip(known.examples, known.shares, strict=True):
        likely, share = labels[int(shares.argmax())], float(shares.max())
        count = counts.get(example) or next(iter(given.get(example, {}).values()), "")
        doubted = likely != count and share >= DOUBTED
        if example not in given or not (example in differ or doubted or example in right):
            continue
        said = [
            Said(who=who, label=label, time=times[who, example])
            for who, label in given[example].items()
        ]
        rank = 2 if example in right else 0 if example in differ else 1
        dispute = Dispute(
            card=team.examples.excerpt(example),
            said=said,
            counts=str(count),
            likely=likely,
            share=share,
            by="people" if example in differ else "model",
            resolved=right[example].who if example in right else None,
        )
        found.append((rank, max(one.time for one in said), dispute))
    found.sort(key=lambda one: one[1], reverse=True)
    return [dispute for rank in (0, 1, 2) for r, _, dispute in found if r == rank]
