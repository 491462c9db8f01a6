"""scikit-activeml's own template checks, which its wheel does not hold.

They come with its repository: set SKACTIVEML_SOURCE to a checkout of it (of its folder
``skactiveml/tests``, the rest is not read). The package that is tested with is the installed one.
What cannot apply is listed in docs/adapters.md:

- candidates as rows of features, instead of indices, raise scikit-activeml's ``MappingError``;
- ``sample_weight`` and ``utility_weight`` are no parameters, and neither is a regressor;
- the templates have no checks of values for a strategy; ours stand below.
"""

import importlib.util
import os
import sys
import unittest
from pathlib import Path

import numpy as np
import pytest

pytestmark = [
    pytest.mark.peers,
    # Theirs use values of y that scikit-learn warns about.
    pytest.mark.filterwarnings("default"),
]
skactiveml = pytest.importorskip("skactiveml", reason="needs scikit-activeml: aluma[skactiveml]")
SOURCE = os.environ.get("SKACTIVEML_SOURCE")
if not SOURCE:
    pytest.skip("needs SKACTIVEML_SOURCE, a checkout of scikit-activeml", allow_module_level=True)


def _theirs(name: str):
    """Import a module of ``skactiveml.tests`` from the checkout."""
    folder = Path(SOURCE) / "skactiveml" / "tests"
    whole = "skactiveml.tests"
    if whole not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            whole, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        sys.modules[whole] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[whole])
    return importlib.import_module(f"{whole}.{name}")


from aluma.adapters.skactiveml import ALuMAClassifier, ALuMAQuery  # noqa: E402

Strategy = _theirs("template_query_strategy").TemplateSingleAnnotatorPoolQueryStrategy
Classifier = _theirs("template_estimator").TemplateSkactivemlClassifier


class TestALuMAQuery(Strategy, unittest.TestCase):
    def setUp(self):
        super().setUp(
            qs_class=ALuMAQuery,
            init_default_params={"classes": [0, 1], "n_hypotheses": 200},
            query_default_params_clf={
                "X": np.random.default_rng(0).standard_normal((20, 2)),
                "y": np.hstack([[0, 1], np.full(18, np.nan)]),
            },
        )

    def test_init_param_classes(self):
        self._test_param("init", "classes", [(None, None), ([0, 1, 2], None), (0, TypeError)])

    def test_init_param_standardize(self):
        self._test_param("init", "standardize", [(True, None), ("auto", None), ("x", TypeError)])

    def test_init_param_n_hypotheses(self):
        cases = [(100, None), (0, ValueError), (1.5, TypeError)]
        self._test_param("init", "n_hypotheses", cases)

    def test_query(self):
        X, y = self.query_default_params_clf["X"], self.query_default_params_clf["y"]
        chosen, utilities = ALuMAQuery(random_state=0).query(X, y, return_utilities=True)
        assert int(np.nanargmax(utilities[0])) == chosen[0]


class TestALuMAClassifier(Classifier, unittest.TestCase):
    def setUp(self):
        super().setUp(
            estimator_class=ALuMAClassifier,
            init_default_params={"missing_label": "nan", "n_hypotheses": 200},
            fit_default_params={"X": np.zeros((3, 1)), "y": ["tokyo", "nan", "paris"]},
            predict_default_params={"X": [[1]]},
        )

    def test_init_param_standardize(self):
        self._test_param("init", "standardize", [(True, None), ("auto", None), ("x", TypeError)])

    def test_init_param_n_hypotheses(self):
        cases = [(100, None), (0, ValueError), (1.5, TypeError)]
        self._test_param("init", "n_hypotheses", cases)

    def test_init_param_warm_start(self):
        self._test_param("init", "warm_start", [(True, None), (False, None)])

    def test_fit(self):
        model = ALuMAClassifier(missing_label="nan", random_state=0)
        model.fit([[0.0], [1.0], [2.0]], ["tokyo", "nan", "paris"])
        assert list(model.classes_) == ["paris", "tokyo"]

    def test_predict(self):
        model = ALuMAClassifier(missing_label="nan", random_state=0)
        model.fit([[0.0], [1.0], [2.0]], ["tokyo", "nan", "paris"])
        assert list(model.predict([[-5.0], [9.0]])) == ["tokyo", "paris"]

    def test_predict_proba(self):
        model = ALuMAClassifier(classes=["a", "b"], missing_label="nan")
        model.fit([[0.0], [1.0]], ["nan", "nan"])
        np.testing.assert_allclose(model.predict_proba([[3.0]]), [[0.5, 0.5]])


del Strategy, Classifier
