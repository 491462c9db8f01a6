"""The benchmarks of features, on pools that are made up in an instant."""

import numpy as np
import pytest

from aluma.app import demo
from aluma.lab.bench import image_features, text_features
from aluma.lab.bench.text_features import Labelled


@pytest.fixture
def messages():
    frame, kinds = demo.messages(60)
    return Labelled(frame["message"].tolist(), np.array([kind == demo.YES for kind in kinds]))


def test_kinds_of_features_are_compared_in_pairs(messages, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(text_features, "MARKS", (2, 4))
    monkeypatch.setattr(text_features, "_whole", lambda _: messages)
    kinds = {"TF-IDF": text_features.KINDS["TF-IDF"]}
    monkeypatch.setattr(text_features, "KINDS", kinds)
    monkeypatch.setattr(text_features.curve, "__defaults__", ((2, 4),))
    results = tmp_path / "r.jsonl"
    for _ in range(2):
        text_features.main(["curves", "--runs", "2", "--pools", "SMS", "--results", str(results)])
    assert len(results.read_text().splitlines()) == 2
    assert "+0.0 (0.0) / +0.0 (0.0)" in capsys.readouterr().out


def test_runs_of_a_page_are_about_all_texts_in_orders_of_their_own(messages):
    runs = [messages.shuffled(seed) for seed in (1, 1, 2)]
    told = [list(zip(one.texts, one.positive.tolist(), strict=True)) for one in runs]
    assert told[0] == told[1] != told[2]
    whole = sorted(zip(messages.texts, messages.positive.tolist(), strict=True))
    assert sorted(told[0]) == sorted(told[2]) == whole


def test_images_have_edges_and_pixels():
    lines = np.zeros((40, 8, 8), dtype=np.uint8)
    lines[:20, 3], lines[20:, :, 3] = 255, 255
    lines += np.random.default_rng(0).integers(0, 9, lines.shape).astype(np.uint8) // 2
    found = image_features.features_of(lines)
    assert found["edges and pixels"].shape[1] > found["pixels"].shape[1]
