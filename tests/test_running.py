"""A run asks and tells, keeps what was said, and ends for the right reason."""

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest

from aluma.errors import Undecided
from aluma.learners.aluma import ALuMA
from aluma.learners.learner import Learner
from aluma.learners.passive import Passive
from aluma.learners.simple_margin import SimpleMargin
from aluma.running import Answers, Trace, run
from aluma.spaces.separator import SeparatorSpace

RNG = np.random.default_rng(3)
X = RNG.standard_normal((40, 3))
Y = np.where(X @ RNG.standard_normal(3) > 0, "yes", "no")


def margin(**options: Any) -> SimpleMargin:
    return SimpleMargin(X, classes=("no", "yes"), **options)


def test_a_run_is_asking_and_telling() -> None:
    by_hand = margin()
    for _ in range(7):
        i = by_hand.ask()
        by_hand.tell(i, Y[i])
    learner = margin()
    trace = run(learner, Y, budget=7)
    assert trace.indices == by_hand.answered.tolist() == learner.answered.tolist()
    assert trace.labels == by_hand.answers.tolist()
    assert trace.conflict is None
    assert len(trace) == 7
    assert learner.ask() == by_hand.ask()


def test_labels_and_indices_are_plain_values() -> None:
    trace = run(margin(), Y, budget=2)
    assert [type(i) for i in trace.indices] == [int, int]
    assert [type(label) for label in trace.labels] == [str, str]


def test_a_function_can_be_the_teacher_and_is_asked_once_a_question() -> None:
    asked = []

    def teacher(i: int) -> str:
        asked.append(i)
        return str(Y[i])

    trace = run(margin(), teacher, budget=6)
    assert trace.indices == asked
    assert trace.labels == Y[asked].tolist()


def test_a_run_goes_on_where_the_last_ended() -> None:
    learner, whole = margin(), margin()
    first, second = run(learner, Y, budget=4), run(learner, Y, budget=5)
    assert first.indices + second.indices == run(whole, Y, budget=9).indices


def test_a_run_without_a_budget_ends_with_the_pool() -> None:
    trace = run(Passive(X, predict_with="svm"), Y)
    assert sorted(trace.indices) == list(range(40))


def test_a_learners_own_budget_ends_a_run() -> None:
    learner = margin(budget=5)
    assert len(run(learner, Y, budget=30)) == 5
    assert len(run(learner, Y)) == 0


def test_a_learner_that_has_finished_ends_a_run() -> None:
    learner = ALuMA(X, classes=("no", "yes"), n_hypotheses=256)
    trace = run(learner, Y)
    assert learner.finished
    assert len(trace) < 40
    assert (learner.predict() == Y).all()


@pytest.mark.parametrize("wrong", [0, -3])
def test_a_budget_is_positive(wrong: int) -> None:
    with pytest.raises(ValueError, match="budget must be at least 1"):
        run(margin(), Y, budget=wrong)


@pytest.mark.parametrize("wrong", [Y[:39], Y[:, None], "yes", []])
def test_a_teacher_has_one_label_per_example(wrong: Any) -> None:
    with pytest.raises(ValueError, match="the pool has 40 examples"):
        run(margin(), wrong)


def test_a_contradiction_ends_a_run_and_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    line = np.array([[1.0], [2.0], [-1.0]])
    learner = Passive(line, classes=(0, 1), order=[0, 1, 2])
    with caplog.at_level(logging.WARNING, logger="aluma"):
        trace = run(learner, [1, 0, 0])
    assert trace.indices == [0] == learner.answered.tolist()
    assert trace.labels == [1]
    assert trace.conflict is not None
    assert set(trace.conflict.indices) == {0, 1}
    assert "after 1 answers" in caplog.text


def interrupting(after: int) -> Any:
    def teacher(i: int) -> str:
        teacher.left -= 1  # type: ignore[attr-defined]
        if teacher.left < 0:  # type: ignore[attr-defined]
            raise KeyboardInterrupt
        return str(Y[i])

    teacher.left = after  # type: ignore[attr-defined]
    return teacher


def test_an_interrupt_keeps_what_was_answered(caplog: pytest.LogCaptureFixture) -> None:
    learner = margin()
    with caplog.at_level(logging.WARNING, logger="aluma"):
        trace = run(learner, interrupting(3), progress=True)
    assert trace.indices == learner.answered.tolist()
    assert len(trace) == 3
    assert "interrupted after 3 answers" in caplog.text
    assert run(learner, Y, budget=2).indices == run(margin(), Y, budget=5).indices[3:]


def test_a_teachers_own_error_is_not_hidden() -> None:
    def teacher(i: int) -> str:
        raise RuntimeError("no teacher today")

    learner = margin()
    with pytest.raises(RuntimeError, match="no teacher today"):
        run(learner, teacher)
    assert learner.n_answers == 0


def test_a_label_that_is_none_of_the_two_is_not_hidden() -> None:
    with pytest.raises(ValueError, match="'maybe'"):
        run(margin(), lambda i: "maybe")


def test_a_measure_is_taken_after_each_answer() -> None:
    def errors(learner: Learner) -> float:
        return float((learner.predict() != Y).mean())

    trace = run(margin(), Y, measure=errors)
    assert len(trace.measures) == 40
    assert trace.measures[-1] == 0.0
    assert trace.measures[0] > 0.0


def test_a_trace_becomes_a_frame() -> None:
    def told(learner: Learner) -> float:
        return learner.n_answers

    trace = run(margin(), Y, budget=3, measure=told)
    frame = trace.to_frame()
    assert frame.columns.tolist() == ["example", "position", "label", "measure"]
    assert frame.index.tolist() == [1, 2, 3]
    assert frame["measure"].tolist() == [1.0, 2.0, 3.0]
    assert frame["position"].tolist() == frame["example"].tolist() == trace.indices
    assert frame["label"].tolist() == trace.labels


def test_a_frame_pool_names_its_examples() -> None:
    names = [f"text {i}" for i in range(40)]
    pool = pd.DataFrame(X, index=names)
    trace = run(SimpleMargin(pool, classes=("no", "yes")), Y, budget=4)
    frame = trace.to_frame()
    assert frame["example"].tolist() == [names[i] for i in trace.indices]
    assert "measure" not in frame
    assert frame["position"].tolist() == trace.indices


def test_an_empty_trace_is_an_empty_frame() -> None:
    assert len(Trace()) == 0
    assert Trace().to_frame().shape == (0, 3)


def test_progress_shows_a_bar_only_when_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    run(margin(), Y, budget=4)
    assert capsys.readouterr().out == ""
    run(margin(), Y, budget=4, progress=True)
    assert "4/4" in capsys.readouterr().out


def test_ctrl_c_waits_until_an_answer_is_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    learner, add = margin(), SeparatorSpace.add

    def interrupted(self: SeparatorSpace, index: int, sign: int) -> None:
        if len(self) == 2:
            signal.raise_signal(signal.SIGINT)
        add(self, index, sign)

    monkeypatch.setattr(SeparatorSpace, "add", interrupted)
    before = signal.getsignal(signal.SIGINT)
    trace = run(learner, Y, measure=lambda learner: learner.n_answers)
    assert trace.indices == learner.answered.tolist()
    assert trace.labels == learner.answers.tolist()
    assert len(trace) == 3
    assert trace.to_frame()["measure"].isna().tolist() == [False, False, True]
    assert signal.getsignal(signal.SIGINT) is before


def test_an_answer_in_hand_is_told_before_an_interrupt_ends_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []

    @contextmanager
    def interrupted() -> Iterator[None]:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        yield

    monkeypatch.setattr("aluma.running.held_back", interrupted)
    learner = margin()
    trace = run(learner, Y)
    assert trace.indices == learner.answered.tolist()
    assert len(trace) == 3


def test_ctrl_c_is_let_be_in_other_threads() -> None:
    traces = []
    thread = threading.Thread(target=lambda: traces.append(run(margin(), Y, budget=3)))
    thread.start()
    thread.join()
    assert len(traces[0]) == 3


def test_an_answer_that_cannot_be_settled_ends_a_run_and_is_kept(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    learner, add = margin(), SeparatorSpace.add

    def at_a_loss(self: SeparatorSpace, index: int, sign: int) -> None:
        if len(self) == 2:
            raise Undecided("too thin")
        add(self, index, sign)

    monkeypatch.setattr(SeparatorSpace, "add", at_a_loss)
    with caplog.at_level(logging.WARNING, logger="aluma"):
        trace = run(learner, Y)
    assert trace.indices == learner.answered.tolist()
    assert (len(trace), trace.conflict) == (2, None)
    assert isinstance(trace.undecided, Undecided)
    assert "after 2 answers: too thin" in caplog.text


NAMED = pd.DataFrame(X, index=[f"r{i}" for i in range(40)], columns=["a", "b", "c"])


def test_a_series_that_teaches_is_matched_by_its_index() -> None:
    labels = pd.Series(Y, index=NAMED.index)
    wanted = run(SimpleMargin(NAMED, classes=("no", "yes")), Y, budget=8)
    for teacher in (labels, labels.sample(frac=1, random_state=1), pd.Series(Y), Y.tolist()):
        found = run(SimpleMargin(NAMED, classes=("no", "yes")), teacher, budget=8)
        assert (found.indices, found.labels) == (wanted.indices, wanted.labels)
    shuffled = pd.Series(Y).sample(frac=1, random_state=1)
    plain = run(SimpleMargin(pd.DataFrame(X), classes=("no", "yes")), shuffled, budget=8)
    assert plain.labels == wanted.labels
    # An array has no index to match: the labels are in its order, whatever they are called.
    array = run(SimpleMargin(X, classes=("no", "yes")), labels, budget=8)
    assert array.labels == wanted.labels


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ([f"s{i}" for i in range(40)], r"lacks 'r0', 'r1'.* has 's0', 's1'.*to_numpy"),
        (["r0"] * 40, r"lacks 'r1'.* has nothing instead"),
        (range(7, 47), "has 7, 8, 9"),
    ],
)
def test_a_series_of_other_examples_does_not_teach(index: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(SimpleMargin(NAMED), pd.Series(Y, index=index))


def contradicted() -> tuple[Passive, list[int]]:
    """Return a learner whose second answer contradicts the first."""
    line = np.array([[1.0], [2.0], [-1.0], [3.0]])
    return Passive(line, classes=(0, 1), order=[0, 1, 2, 3]), [1, 0, 0, 1]


def test_every_answer_comes_with_its_count() -> None:
    learner = margin()
    answers = Answers(learner, Y, budget=3)
    seen = list(answers)
    assert [answer.count for answer in seen] == [1, 2, 3]
    assert [answer.index for answer in seen] == learner.answered.tolist()
    assert [answer.label for answer in seen] == learner.answers.tolist()
    assert (answers.ended, answers.trouble) == ("budget", None)
    assert list(answers) == []


def test_a_contradiction_stops_the_answers_after_it() -> None:
    learner, labels = contradicted()
    answers = Answers(learner, labels)
    last = list(answers)[-1]
    assert (last.index, last.count, answers.ended) == (1, 2, "conflict")
    assert last.refused is answers.trouble is answers.conflict
    assert answers.undecided is None
    assert learner.answered.tolist() == [0]


def test_answers_that_contradict_can_be_skipped() -> None:
    learner, labels = contradicted()
    answers = Answers(learner, labels, on_conflict="skip")
    seen = list(answers)
    assert [answer.index for answer in seen] == [0, 1, 2, 3]
    assert [answer.index for answer in seen if answer.refused] == [1]
    assert answers.trouble is None
    assert learner.answered.tolist() == [0, 2, 3]


@pytest.mark.parametrize(("own", "ended"), [(True, "finished"), (False, "exhausted")])
def test_who_has_finished_can_be_asked_on(own: bool, ended: str) -> None:
    learner = Passive(X, classes=("no", "yes"), order=[3, 1, 4], predict_with="svm")
    answers = Answers(learner, Y, stop_when_finished=own)
    assert [answer.index for answer in answers] == [3, 1, 4]
    assert answers.ended == ended


def test_ctrl_c_is_raised_unless_it_is_wanted() -> None:
    learner = margin()
    with pytest.raises(KeyboardInterrupt):
        list(Answers(learner, interrupting(2)))
    assert learner.n_answers == 2
    answers = Answers(margin(), interrupting(2), catch_interrupt=True)
    assert len(list(answers)) == 2
    assert answers.ended == "interrupted"


def test_trouble_of_whoever_iterates_ends_the_loop_alike() -> None:
    with Answers(margin(), Y) as answers:
        for answer in answers:
            if answer.count == 2:
                raise Undecided("too thin to vote")
    assert (answers.ended, answers.count) == ("undecided", 2)
    with pytest.raises(RuntimeError, match="of its own"), Answers(margin(), Y) as others:
        raise RuntimeError("an error of its own")
    assert others.ended is None
