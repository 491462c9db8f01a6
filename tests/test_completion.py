"""Asking in turn, completing the labels, and halfspaces fitted to them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aluma import Conflict
from aluma.completion import Asked, complete, halfspaces_of, question
from aluma.errors import Undecided


class Scripted:
    """Stands in for a learner: asks its questions in order and contradicts at one of them."""

    def __init__(self, questions: list[int], refuses: int | None = None) -> None:
        self.questions, self.refuses = questions, refuses
        self.heard: list[tuple[int, bool]] = []

    @property
    def finished(self) -> bool:
        return not self._left()

    def ask(self) -> int:
        return self._left()[0]

    def tell(self, index: int, label: bool) -> None:
        if index == self.refuses:
            raise Conflict((self.heard[0][0], index))
        self.heard.append((index, label))

    def predict_proba(self) -> NDArray[np.float64]:
        raise Undecided("too thin")

    def _left(self) -> list[int]:
        return [i for i in self.questions if i not in dict(self.heard)]


def test_learners_ask_in_turn_and_all_hear_every_answer() -> None:
    learners: Any = [Scripted([0, 1, 2]), Scripted([5]), Scripted([0, 7, 8])]
    answers = {0: 2, 5: 0, 7: 1, 1: 0, 2: 0, 8: 0}
    asked = question(learners, range(3), answers.__getitem__, budget=5)
    # The second has nothing left at its second turn: the third asks instead.
    assert asked.indices == [0, 5, 7, 1, 8]
    assert asked.codes == [2, 0, 1, 0, 0]
    for k, learner in enumerate(learners):
        expected = [(i, answers[i] == k) for i in asked.indices]
        assert learner.heard == expected


def test_a_contradicted_learner_falls_silent_and_the_others_go_on() -> None:
    learners: Any = [Scripted([0, 1, 2], refuses=4), Scripted([4, 5]), Scripted([6])]
    asked = question(learners, range(3), lambda i: i % 3, budget=10)
    assert asked.indices == [0, 4, 5, 6]
    assert asked.conflict == (0, 4)
    assert [i for i, _ in learners[0].heard] == [0]
    assert [i for i, _ in learners[1].heard] == asked.indices


def test_a_version_space_too_thin_for_a_vote_leaves_the_answers() -> None:
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    asked = Asked([0, 3], [0, 1])
    learners: Any = [Scripted([])]
    completed, _ = complete(learners, range(1, 2), X, asked, bias=True)
    assert completed.tolist() == [0, 0, 1, 1]
    assert asked.conflict == ()


def test_without_a_vote_for_a_class_nothing_is_given_that_class() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    found = halfspaces_of(X, np.array([0, 2, 2]), range(3), bias=True)
    assert found[1].tolist() == [0.0, 0.0, -1.0]
    assert halfspaces_of(X, np.ones(3, dtype=int), range(1, 2), True).tolist() == [[0.0, 0.0, 1.0]]
