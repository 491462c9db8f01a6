"""The published data sets: their counts, and what their readers refuse."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from aluma.errors import CorruptData, MissingData
from aluma.lab import datasets
from aluma.lab.datasets.mnist import read_idx


@pytest.mark.parametrize(
    ("digits", "train", "test"), [((3, 5), 11_552, 1_902), ((4, 7), 12_107, 2_010)]
)
def test_mnist_has_the_published_counts(data_folder, digits, train, test) -> None:
    data = datasets.mnist(*digits)
    assert (data.X.shape, data.X_test.shape) == ((train, 784), (test, 784))
    assert (data.X.min(), data.X.max()) == (0.0, 1.0)
    assert set(data.y) == {-1, 1}
    assert data.classes == digits


@pytest.mark.parametrize("digits", [(4, 4), (4, 10)])
def test_mnist_refuses_what_is_no_pair_of_digits(digits) -> None:
    with pytest.raises(ValueError, match="digits"):
        datasets.mnist(*digits)


def test_w1a_has_the_published_counts(data_folder: Path) -> None:
    data = datasets.w1a()
    assert (data.X.shape, data.X_test.shape) == ((2_477, 300), (47_272, 300))
    assert ((data.y > 0).sum(), (data.y_test > 0).sum()) == (72, 1_407)


@pytest.mark.parametrize(
    ("source", "shape", "positive"), [("paper", (1_946, 7_511), 985), ("asu", (1_943, 3_289), 961)]
)
def test_pcmac_has_the_published_counts(data_folder, source, shape, positive) -> None:
    data = datasets.pcmac(source)
    assert data.X.shape == shape
    assert (data.y > 0).sum() == positive
    np.testing.assert_allclose(data.X.multiply(data.X).sum(axis=1), 1.0)


def test_newsgroups_have_the_published_counts(data_folder: Path) -> None:
    data = datasets.newsgroups()
    assert ((data.y > 0).sum(), (data.y < 0).sum()) == (590, 578)
    assert ((data.y_test > 0).sum(), (data.y_test < 0).sum()) == (392, 385)
    assert data.X.shape[1] == data.X_test.shape[1]


@pytest.mark.parametrize(
    ("name", "positive", "negative"), [("sms_spam", 747, 4_827), ("rt_polarity", 5_331, 5_331)]
)
def test_texts_and_their_embeddings_have_the_published_counts(
    data_folder, name, positive, negative
) -> None:
    texts, embedded = datasets.texts(name), datasets.embedded(name)
    assert ((texts.y > 0).sum(), (texts.y < 0).sum()) == (positive, negative)
    assert len(texts) == len(texts.texts) == len(embedded) == positive + negative
    np.testing.assert_array_equal(texts.y, embedded.y)
    assert embedded.X.shape[1] == 384
    np.testing.assert_allclose(np.linalg.norm(embedded.X, axis=1), 1.0, atol=1e-3)


def test_texts_that_are_not_there_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ALUMA_DATA", str(tmp_path))
    with pytest.raises(MissingData, match=r"SMSSpamCollection .* within an archive only"):
        datasets.texts("sms_spam")
    with pytest.raises(MissingData, match=r"rt_polarity_minilm\.npz .* not published anywhere"):
        datasets.embedded("rt_polarity")
    with pytest.raises(ValueError, match="sms_spam and rt_polarity, not 'enron'"):
        datasets.texts("enron")


def test_an_unchecked_pickle_is_not_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ALUMA_DATA", str(tmp_path))
    with pytest.raises(MissingData, match="20news"):
        datasets.newsgroups()
    (tmp_path / "20news").mkdir()
    (tmp_path / "20news" / "20news-bydate_py3.pkz").write_bytes(b"anything")
    with pytest.raises(CorruptData, match="SHA-256"):
        datasets.newsgroups()


def test_pcmac_names_its_sources() -> None:
    with pytest.raises(ValueError, match="one of paper, asu"):
        datasets.pcmac("elsewhere")


def test_idx_files_are_read(tmp_path: Path) -> None:
    file = tmp_path / "images.gz"
    content = b"\0\0\x08\x02" + np.array([2, 3], ">i4").tobytes() + bytes(range(6))
    file.write_bytes(gzip.compress(content))
    np.testing.assert_array_equal(read_idx(file), [[0, 1, 2], [3, 4, 5]])
    file.write_bytes(gzip.compress(b"\0\0\x0d\x01"))
    with pytest.raises(CorruptData, match=r"images\.gz is not an idx file of bytes"):
        read_idx(file)
    file.write_bytes(gzip.compress(content)[:-9])
    with pytest.raises(CorruptData, match="not a whole gzip file"):
        read_idx(file)
