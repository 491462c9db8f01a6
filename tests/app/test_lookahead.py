"""Looking ahead: what is known is right, and what is slow is left alone."""

import threading

import numpy as np

from aluma import ALuMA
from aluma.app.lookahead import SPARE_QUESTIONS, Lookahead, Question
from aluma.errors import Conflict
from aluma.pool import Pool

X = np.random.default_rng(0).standard_normal((80, 3))
LABELS = ("no", "yes")


def looking(learner):
    ahead = Lookahead(learner.pool, LABELS, lambda: None)
    ahead.begin(learner)
    assert ahead.idle.wait(30)
    return ahead


def test_both_answers_are_followed():
    learner = ALuMA(X, classes=LABELS, n_hypotheses=200)
    learner.tell(learner.ask(), "yes")
    ahead = looking(learner.fork())
    question = ahead.question.example
    assert question == learner.ask()
    for label, found in ahead.following.items():
        twin = learner.fork()
        twin.tell(question, label)
        assert found.example == twin.ask()
        assert set(found.spare) <= set(range(80)) - {question, found.example}
    assert set(ahead.following) == set(LABELS)
    ahead.close()


def test_a_branch_that_was_taken_goes_on():
    learner = ALuMA(X, classes=LABELS, n_hypotheses=200)
    ahead = looking(learner.fork())
    branch = ahead.take(ahead.question.example, "yes")
    following = branch.asked.result()
    ahead.begin(branch.told.result().fork(), after=branch)
    assert ahead.idle.wait(30)
    assert ahead.question.example == following.example
    assert ahead.take(following.example + 1, "yes") is None
    ahead.close()


def test_whoever_goes_on_at_once_never_runs_out_of_examples():
    """Every example is one offered before, and nobody waits for the question that is best."""
    learner = ALuMA(X, classes=LABELS, n_hypotheses=200)
    ahead = looking(learner.fork())
    shown, told = ahead.question, set()
    for _ in range(3 * SPARE_QUESTIONS):
        told.add(shown.example)
        learner.tell(shown.example, LABELS[int(X[shown.example, 0] > 0)])
        offered = [one for one in ahead.question.spare if one not in told]
        assert offered, "nothing is left to go on to"
        ahead.begin(learner.fork(), shown=offered[0])
        assert ahead.idle.wait(30)
        shown = ahead.question
        assert shown.example == offered[0] not in shown.spare
        assert len(set(shown.spare)) == len(shown.spare) <= SPARE_QUESTIONS
    ahead.close()


def test_what_is_on_the_screen_is_the_question():
    learner = ALuMA(X, classes=LABELS, n_hypotheses=200)
    ahead = looking(learner.fork())
    ahead.begin(learner.fork(), shown=5)
    assert ahead.question.example == 5
    ahead.close()


def test_unexpected_answers_are_left_alone():
    line = Pool(np.arange(1.0, 9.0)[:, None], prepared=True)
    learner = ALuMA(line, classes=LABELS, n_hypotheses=200)
    learner.tell(3, "yes")
    ahead = looking(learner.fork())
    assert ahead.unlikely == {"no"}
    assert set(ahead.following) == {"yes"}
    ahead.close()


def test_nothing_left_is_known_too():
    learner = ALuMA(X[:2], classes=LABELS, n_hypotheses=200)
    learner.skip(0)
    learner.skip(1)
    ahead = looking(learner)
    assert ahead.question == Question(None)
    ahead.close()


def test_it_says_when_it_knows_more():
    heard = threading.Event()
    learner = ALuMA(X, classes=LABELS, n_hypotheses=200)
    ahead = Lookahead(learner.pool, LABELS, heard.set)
    ahead.begin(learner)
    assert heard.wait(30)
    ahead.close()
    assert not isinstance(ahead.following.get("yes"), Conflict)
