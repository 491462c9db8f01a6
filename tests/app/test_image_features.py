"""Edges and pixels of images, and that a model of them can be used without aluma."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.svm import LinearSVC

from aluma.app import features, reading
from aluma.app.export import labelled
from aluma.app.image_features import edges
from aluma.app.model import model
from aluma.app.opening import Wanted, opened
from aluma.errors import BadInput

USE_MODEL = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "use_model.py"))


def stripes(angle, shift=0.0):
    """Return lines that run at an angle."""
    y, x = np.mgrid[:32, :32]
    return (0.5 + 0.5 * np.sin((x * np.cos(angle) + y * np.sin(angle)) * 0.8 + shift)).astype("f4")


def test_edges_tell_which_way_lines_run_wherever_they_are():
    found = edges(np.stack([stripes(0), stripes(0, 2.0), stripes(np.pi / 4), stripes(np.pi / 2)]))
    apart = np.linalg.norm(found[:, None] - found, axis=2)
    assert found.shape == (4, 512)
    assert apart[0, 1] < 0.5 * min(apart[0, 2], apart[0, 3], apart[2, 3])
    by_direction = found.reshape(4, 64, 8).mean(axis=1)
    assert by_direction.argmax(axis=1).tolist() == [0, 0, 2, 4]


def test_brightness_matters_little_to_edges_and_nothing_without_any():
    one = stripes(0.3)
    bright, dark = edges(np.stack([one, 0.5 * one]))
    assert np.linalg.norm(bright - dark) < 0.05 * np.linalg.norm(bright)
    assert not edges(np.full((2, 32, 32), 0.7, dtype="f4")).any()


def test_edges_separate_digits_that_pixels_do_not():
    images, digits = load_digits(return_X_y=True)
    kept = (digits == 1) | (digits == 8)
    pictures = (images[kept].reshape(-1, 8, 8) / 16 * 255).astype(np.uint8)
    y = digits[kept] == 8
    grey = np.stack([np.asarray(Image.fromarray(one).resize((32, 32))) for one in pictures])
    errors = {"edges": [], "pixels": []}
    for seed in range(5):
        few = np.random.default_rng(seed).permutation(len(y))[:40]
        for kind, X in (("edges", edges(grey / np.float32(255))), ("pixels", images[kept])):
            fitted = LinearSVC(dual="auto").fit(X[few], y[few])
            errors[kind].append(np.mean(fitted.predict(X) != y))
    assert np.mean(errors["edges"]) < 0.8 * np.mean(errors["pixels"])


@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_an_exported_model_of_images_says_the_same_without_aluma(tmp_path, mode):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for n in range(24):
        shown = Image.fromarray((255 * stripes(0.2 + 1.2 * (n % 2), n)).astype(np.uint8))
        shown.convert(mode).resize((32 + n, 40)).save(folder / f"{n:02}.png")
    found = opened(Wanted(folder, tmp_path / "p.aluma", hypotheses=50))
    for n in range(4):
        found.desk.answer(f"r{n}", n, ("no", "yes")[n % 2])
    written = json.loads(json.dumps(model(found.desk, found.features)))
    codes = labelled(found.desk).place
    found.desk.close()
    assert [part["kind"] for part in written["parts"]] == ["edges", "pixels"]
    X = found.features.X
    expected = LinearSVC(dual=False).fit(X, codes).decision_function(X)
    files = [{"file": str(path)} for path in sorted(folder.iterdir())]
    scores = [USE_MODEL["scores"](written, one)[0] for one in files[:6]]
    np.testing.assert_allclose(scores, expected[:6], atol=1e-3)


def test_images_that_are_all_the_same_are_refused(tmp_path):
    for n in range(3):
        Image.new("L", (8, 8), 9).save(tmp_path / f"{n}.png")
    with pytest.raises(BadInput, match="every image is the same"):
        features.of_examples(reading.read(tmp_path))
