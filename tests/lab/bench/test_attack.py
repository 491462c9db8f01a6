"""Small versions of the attacks: each kind of them, and that a hole would be seen."""

import os
from pathlib import Path

import numpy as np
import pytest

from aluma.app import guard
from aluma.lab.bench import (
    attack_access,
    attack_content,
    attack_damage,
    attack_durability,
    attack_power,
)
from aluma.lab.bench.attack_tally import Tally
from aluma.session import chain, high_water


def unharmed(tallies: list[Tally]) -> None:
    assert [line for tally in tallies for line in tally.broken] == []
    assert all(tally.tried for tally in tallies)


def test_damage_is_refused_or_harmless_and_what_is_whole_comes_back(tmp_path: Path) -> None:
    unharmed(attack_damage.damages(tmp_path, 60, np.random.default_rng(3)))


def test_damage_that_is_taken_for_sound_would_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chain, "fits", lambda *_: True)
    monkeypatch.setattr(high_water, "check", lambda *_: None)
    found = attack_damage.damages(tmp_path, 60, np.random.default_rng(3))
    broken = {tally.what for tally in found if tally.broken}
    assert {"damage: checks", "an older state of the file"} <= broken


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")
def test_nothing_is_lost_doubled_or_invented_by_kills_and_want_of_room(tmp_path: Path) -> None:
    unharmed(attack_durability.durability(tmp_path, 20, np.random.default_rng(5)))


@pytest.mark.skipif(not attack_power.watches(), reason="needs strace")
def test_nothing_is_lost_by_a_power_cut_and_a_disk_that_lies_would_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attack_power, "ANSWERS", 3)
    for part in ("true", "lies"):
        (tmp_path / part).mkdir()
    unharmed(attack_power.power(tmp_path / "true", np.random.default_rng(7), cuts=1))
    monkeypatch.setattr(attack_power.Content, "sync", lambda _: None)
    found = attack_power.power(tmp_path / "lies", np.random.default_rng(7), cuts=1)
    assert all(tally.broken for tally in found)


def test_nobody_is_let_in_who_should_not_be(tmp_path: Path) -> None:
    assert len(attack_access.tricks(1)) > 500
    unharmed(attack_access.access(tmp_path))


def test_a_door_left_open_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard.Guard, "_admitted", lambda *_: True)
    found = attack_access.access(tmp_path, most=60)
    assert len(found[0].broken) > 5


def test_content_that_means_harm_is_text_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attack_content, "TEXTS", attack_content.TEXTS[::4])
    unharmed(attack_content.content(tmp_path))
