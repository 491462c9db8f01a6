"""Small versions of the attacks: each kind of them, and that a hole would be seen."""

import os
import shutil
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from aluma.app import guard
from aluma.app.people.admission import Admission
from aluma.errors import SessionError
from aluma.lab.bench import (
    attack_access,
    attack_calls,
    attack_content,
    attack_damage,
    attack_durability,
    attack_edits,
    attack_interrupts,
    attack_library,
    attack_pages,
    attack_persons,
    attack_places,
    attack_power,
    attack_stores,
    attack_supply,
    attack_tricks,
)
from aluma.lab.bench.attack_tally import Tally
from aluma.learners.learner import Learner
from aluma.reading import parquet
from aluma.session import chain, high_water
from aluma.session.answer_file import AnswerFile


def unharmed(tallies: list[Tally]) -> None:
    assert [line for tally in tallies for line in tally.broken] == []
    assert all(tally.tried for tally in tallies)


def test_damage_is_refused_or_harmless_and_what_is_whole_comes_back(tmp_path: Path) -> None:
    unharmed(attack_damage.damages(tmp_path, 24, np.random.default_rng(3)))


def test_a_damaged_pool_is_refused_or_the_same(tmp_path: Path) -> None:
    unharmed(attack_stores.stores(tmp_path, 8, np.random.default_rng(4)))


def test_damage_that_is_taken_for_sound_would_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chain, "fits", lambda *_: True)
    monkeypatch.setattr(high_water, "check", lambda *_: None)
    found = attack_damage.damages(tmp_path, 24, np.random.default_rng(3))
    broken = {tally.what for tally in found if tally.broken}
    assert {"damage: checks", "an older state of the file"} <= broken


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")
def test_nothing_is_lost_doubled_or_invented_by_kills_and_want_of_room(tmp_path: Path) -> None:
    unharmed(attack_durability.durability(tmp_path, 10, np.random.default_rng(5)))


@pytest.mark.skipif(not attack_power.watches(), reason="needs strace")
def test_nothing_is_lost_by_a_power_cut_and_a_disk_that_lies_would_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attack_power, "ANSWERS", 2)
    seen: dict[str, Any] = {}
    watched = attack_power._watched

    def once(kind: str, *where: Path) -> Any:
        # Starting a process that is watched takes longest.
        return seen.get(kind) or seen.setdefault(kind, watched(kind, *where))

    monkeypatch.setattr(attack_power, "_watched", once)
    few = ("session", "checks")  # a move to another slack takes longer
    unharmed(attack_power.power(tmp_path, np.random.default_rng(7), cuts=1, kinds=few))
    monkeypatch.setattr(attack_power.Content, "sync", lambda _: None)
    shutil.rmtree(tmp_path / "power-checks")
    found = attack_power.cut(tmp_path, "checks", np.random.default_rng(7), cuts=1)
    assert found.broken


def test_nobody_is_let_in_who_should_not_be(tmp_path: Path) -> None:
    assert len(attack_access.tricks(1)) > 500
    unharmed(attack_access.access(tmp_path))


def test_a_door_left_open_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard.Guard, "_admitted", lambda *_: True)
    found = attack_access.access(tmp_path, most=60)
    assert len(found[0].broken) > 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")
def test_other_pages_let_nobody_in_either_and_lose_nothing_when_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(attack_tricks.backend_tricks(1)) > 300
    for part in ("doors", "pages"):
        (tmp_path / part).mkdir()
    unharmed(list(attack_access.doors(tmp_path / "doors", most=40)))
    monkeypatch.setattr(attack_pages, "KILLED", {"page of checks": 1, "page of two people": 1})
    unharmed(list(attack_pages.pages(tmp_path / "pages", 2, np.random.default_rng(17))))


def test_a_receipt_that_is_not_in_the_file_would_be_seen(tmp_path: Path) -> None:
    attacked, tally = attack_pages.fresh(tmp_path, "page", 0), Tally("")
    attacked.receipts = [("", 0, "a")]
    attack_pages._judge(attacked, None, tally)
    assert tally.broken == ["lost: [('', 0, 'a')]"]


def test_an_edited_table_is_refused_and_its_answers_are_carried_over(tmp_path: Path) -> None:
    rng = np.random.default_rng(18)
    unharmed([attack_edits.edits(tmp_path, len(attack_edits.EDITS), rng)])


def test_nobody_acts_as_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in ("true", "open"):
        (tmp_path / part).mkdir()
    unharmed([attack_persons.persons(tmp_path / "true")])
    # A guard that believes whatever name a request ends with.
    monkeypatch.setattr(Admission, "who", lambda *_: attack_persons.OTHER)
    assert len(attack_persons.persons(tmp_path / "open").broken) > 5


def test_content_that_means_harm_is_text_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attack_content, "TEXTS", attack_content.TEXTS[::12])
    # The bomb is smaller, and so is what is too large: most of the time went into making it.
    monkeypatch.setattr(attack_content, "COLUMNS", 4)
    monkeypatch.setattr(parquet, "CELL", 40 * parquet.CELL)
    unharmed(attack_content.content(tmp_path))


def test_calls_that_make_no_sense_raise_what_is_documented_and_change_nothing(
    tmp_path: Path,
) -> None:
    calls, watch = attack_calls.Calls(np.random.default_rng(11), tmp_path), mock.Mock()
    made = attack_library._made(calls, 60, watch)
    unharmed([made, attack_library._methods(calls, 60, watch)])
    assert made.ends["documented exception"] > 5


def test_a_call_that_leaves_something_changed_would_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slips(self: Learner, i: Any) -> None:
        self._history = [*self._history, *self._history[:1]]
        raise ValueError(f"no {i}")

    calls = attack_calls.Calls(np.random.default_rng(12), tmp_path)
    one = calls.learner()
    one.tell(int(one.ask()), "no")
    before = attack_calls.state(one)
    monkeypatch.setattr(Learner, "skip", slips)
    with pytest.raises(ValueError, match="no 1"):
        one.skip(1)
    assert not attack_calls.same(attack_calls.state(one), before)


def test_an_answer_is_taken_whole_or_not_at_all_when_ctrl_c_comes() -> None:
    found = attack_interrupts.changes()
    chosen = [change for change in found if change.name in TELLING]
    rng = np.random.default_rng(13)
    unharmed([attack_interrupts.interrupted(change, 12, rng) for change in chosen])


#: A learner, an audit, a space: what is changed by steps that Ctrl-C may come between.
TELLING = ("ALuMA.tell", "ALuMA.undo", "Audit.tell", "VersionSpace.add")


def test_an_answer_half_taken_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    change = attack_interrupts.changes()[0]
    in_place = lambda self, i, label: self._tell_one(i, label)  # noqa: E731
    monkeypatch.setattr(Learner, "tell", in_place)
    late = {"_tell_one", "_learn", "_forget"}
    rng = np.random.default_rng(14)
    assert attack_interrupts.interrupted(change, 10**6, rng, within=late).broken


def test_signals_and_threads_leave_a_session_true_to_its_file(tmp_path: Path) -> None:
    unharmed(list(attack_interrupts.in_a_session(tmp_path, 8, np.random.default_rng(19))))
    unharmed([attack_interrupts.signalled(tmp_path, 4, np.random.default_rng(15))])
    unharmed([attack_library._threads(tmp_path, 1)])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_may_look_and_not_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in ("true", "open"):
        (tmp_path / part).mkdir()
    unharmed([attack_library._forks(tmp_path / "true", 2)])
    monkeypatch.setattr(AnswerFile, "is_inherited", False)
    # What both processes write may even damage the file.
    try:
        assert attack_library._forks(tmp_path / "open", 1).broken
    except SessionError:
        return


def test_a_clock_going_back_and_a_place_that_is_read_only_lose_nothing(tmp_path: Path) -> None:
    unharmed(attack_places.places(tmp_path))


def test_servers_that_lie_leave_nothing_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = ("flipped", "cut", "endless", "drips", "bomb")
    monkeypatch.setattr(attack_supply, "TRICKS", few)
    rng = np.random.default_rng(16)
    unharmed([attack_supply.supply(tmp_path, len(few), rng)])
    monkeypatch.setattr(attack_supply, "DIGEST", "0" * 64)
    assert attack_supply.supply(tmp_path / "again", 1, rng).broken
