"""Vectors of texts from wordllama's wheel, without a network."""

import socket
from typing import Any

import numpy as np
import pytest

from aluma.app.word_vectors import word_vectors

pytest.importorskip("wordllama")


def test_texts_of_like_meaning_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    rows = word_vectors(["the dog barks at the cat", "a puppy and a kitten", "tax law reform", ""])
    assert rows.shape == (4, 256)
    np.testing.assert_allclose(np.linalg.norm(rows[:3], axis=1), 1.0, rtol=1e-5)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.1
    assert np.isfinite(rows).all()
