"""Features that nobody asked for: what they are, and that a linear model of them can be undone."""

import re
import sys
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from aluma.app import demo, features, reading
from aluma.app.features import Features
from aluma.app.text_features import WORD
from aluma.errors import BadInput


def test_numbers_are_standardised_and_missing_ones_average():
    frame = pd.DataFrame({"a": [1.0, 2.0, np.nan, 6.0], "same": 7, "b": [True, False, True, True]})
    made = features.of_table(frame)
    assert made.X.shape == (4, 2)
    np.testing.assert_allclose(made.X.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(made.X.std(axis=0), 1, rtol=1e-6)
    assert made.X[2, 0] == 0
    assert "1 missing" in " ".join(made.notes)
    assert "'same'" in " ".join(made.notes)


def test_numbering_columns_and_labels_are_left_out():
    frame = pd.DataFrame({"id": range(30), "x": np.arange(30) % 7, "label": "yes"})
    made = features.of_table(frame, without="label")
    assert made.blocks[0].about["columns"] == ["x"]
    assert "'id'" in made.notes[0]


def test_kinds_of_columns():
    texts = demo.messages(60)[0]["message"]
    frame = pd.DataFrame({"t": texts, "c": ["red", "blue", "blue"] * 20, "n": np.arange(60.0)})
    kinds = [block.kind for block in features.of_table(frame).blocks]
    assert sorted(kinds) == ["category", "numeric", "text"]


def test_an_infinite_number_is_named():
    with pytest.raises(BadInput, match="row 2, column 'a'"):
        features.of_table(pd.DataFrame({"a": [1.0, np.inf, 2.0]}))


def test_nothing_to_tell_rows_apart_is_said():
    with pytest.raises(BadInput, match="no column tells the rows apart"):
        features.of_table(pd.DataFrame({"a": [1, 1, 1]}))
    with pytest.raises(BadInput, match="there is no column 'z'"):
        features.of_table(pd.DataFrame({"a": [1, 2]}), columns=["z"])


def raw_text(block, texts):
    """Return what the model file's rule for texts says, word by word."""
    rows = []
    for text in texts:
        words = re.findall(WORD, text.lower())
        terms = [*words, *(f"{a} {b}" for a, b in pairwise(words))]
        counts = {term: terms.count(term) for term in set(terms)}
        known = zip(block.about["terms"], block.about["idf"], strict=True)
        row = np.array([(1 + np.log(counts[t])) * i if t in counts else 0.0 for t, i in known])
        rows.append(row / (np.linalg.norm(row) or 1))
    return np.array(rows)


def test_a_linear_model_of_text_features_is_one_of_words():
    frame = demo.messages(60)[0]
    made = features.of_table(frame)
    (block,) = made.blocks
    w = np.random.default_rng(1).standard_normal(made.X.shape[1])
    plain = raw_text(block, frame["message"]) @ block.weights(w) - block.offset @ w
    np.testing.assert_allclose(plain, made.X @ w, atol=1e-4)


def test_directions_depend_on_the_size_of_the_pool():
    assert features.of_table(demo.messages(320)[0], words=False).X.shape[1] == 20
    assert features.of_table(demo.messages(64)[0], words=False).X.shape[1] == 8


def test_features_of_images_grey_and_coloured(tmp_path):
    for number in range(12):
        colour = (20 * number, 255 - 20 * number, 0)
        Image.new("RGB", (30 + number, 20), colour).save(tmp_path / f"{number:02}.png")
    Image.new("L", (9, 9), 50).save(tmp_path / "grey.png")
    examples = reading.read(tmp_path)
    made = features.of_examples(examples)
    assert len(made.X) == 13
    assert made.blocks[0].about == {"side": 32, "channels": 3}
    assert [block.kind for block in made.blocks] == ["pixels"]  # there is no edge in any
    # The first direction is the way from the first colour to the last.
    assert abs(np.corrcoef(made.X[:12, 0], np.arange(12))[0, 1]) > 0.99


def test_embeddings_keep_their_relative_scale():
    array = np.random.default_rng(0).standard_normal((50, 3)) * [1, 2, 3] + 5
    made = features.of_array(array, "e.npy")
    np.testing.assert_allclose(made.X.mean(axis=0), 0, atol=1e-5)
    ratio = made.X.std(axis=0) / array.std(axis=0)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-4)
    with pytest.raises(BadInput, match="row 0, column 1"):
        features.of_array(np.array([[1, np.nan]]), "e.npy")
    with pytest.raises(BadInput, match="is the same"):
        features.of_array(np.ones((4, 3)), "e.npy")


def test_a_function_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "mine_embed.py").write_text(
        "import numpy as np\n"
        "def lengths(texts): return np.array([[len(t), t.count('a')] for t in texts])\n"
        "def wrong(texts): return np.zeros(3)\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    examples = reading.as_examples(demo.messages(20)[0])
    assert features.of_function("mine_embed:lengths", examples).X.shape == (20, 2)
    with pytest.raises(BadInput, match="must return numbers, one row"):
        features.of_function("mine_embed:wrong", examples)
    with pytest.raises(BadInput, match="cannot be imported"):
        features.of_function("mine_embed:gone", examples)
    with pytest.raises(BadInput, match="must have the form"):
        features.of_function("mine_embed", examples)


def test_what_is_saved_comes_back(tmp_path):
    made = features.of_table(demo.messages(40)[0])
    made.save(tmp_path / "f.npz", "digest")
    back, digest = Features.load(tmp_path / "f.npz")
    assert digest == "digest"
    np.testing.assert_array_equal(back.X, made.X)
    assert back.blocks[0].about == made.blocks[0].about
    np.testing.assert_array_equal(back.blocks[0].map, made.blocks[0].map)


def test_the_demonstration_is_the_same_every_time():
    frame, labels = demo.messages()
    assert frame.equals(demo.messages()[0])
    assert frame["message"].is_unique
    assert 100 < labels.count(demo.YES) < 220
