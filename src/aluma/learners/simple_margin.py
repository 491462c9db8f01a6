"""Simple margin: ask about the example closest to the max-margin separator of the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from aluma.arrays import positive_integer, probability
from aluma.geometry.max_margin import Separator
from aluma.learners.assembly import RULES, checked_rule, competitor_promise
from aluma.learners.learner import Learner, Parts
from aluma.representation.view import View
from aluma.sampling.kernels import checked_sampler
from aluma.spaces.separator import SeparatorSpace
from aluma.strategies.margin import ClosestToSeparator
from aluma.streams import entropy


class SimpleMargin(Learner):
    """The first heuristic of Tong and Koller [1]_, called TK in the paper.

    The max-margin separator is the centre of the largest ball in the version space, if examples
    have unit length; an example close to it is hoped to cut the version space in halves.

    Parameters
    ----------
    X, classes, bias, budget, random_state
        As for every learner, see :class:`aluma.learners.learner.Learner`.
    kernel : str, callable, dict or None
        See :class:`aluma.learners.aluma.ALuMA`.
    predict_with : {"svm", "vote", "random"}
        Label by the side of the separator (shares are then 0 or 1), by the majority vote of
        ``n_hypotheses`` drawn from the version space, as in the paper's experiments, or by one
        random hypothesis.
    n_hypotheses : int
        Size of the population for the vote and the certificate; not paid for with "svm" until a
        certificate is asked for.
    delta : float
        What the certificate's promises may fail with.
    promise : {"credible", "audited"}
        With "audited" labels are checked at random and it has finished when at most ``tolerance``
        is wrong, see :class:`aluma.learners.aluma.ALuMA`. By default it asks about everything.
    tolerance : float
        Share of the labels that may be wrong, with "audited".
    sampler, client
        See :class:`aluma.learners.aluma.ALuMA`.

    Notes
    -----
    Where the sources leave a choice:

    - The source assumes examples of one length. Here every example is scaled to length 1, for the
      separator and for the distance ``|<w, x>| / |x|``, which is the distance of w to the
      hyperplane in the version space that the example stands for. So row scale does not matter.
    - The margin is hard and the halfspaces are homogeneous. ``bias=True`` is the constant feature
      that it is for every learner, so the intercept counts towards the norm that is minimised.
    - With answers of one class only, the separator is still defined by them: no halfspace through
      the origin of largest margin needs the other class.
    - The first question is random, by the seed (the source's experiments start from one labelled
      example of each class, the paper does not say). It is the same as that of
      :class:`aluma.learners.passive.Passive`.
    - Ties go to the lowest index; ``ask(n)`` gives the n closest.
    - With a kernel, lengths and distances are those of its features, and a bias adds its
      square to the kernel.

    References
    ----------
    .. [1] S. Tong and D. Koller, "Support vector machine active learning with applications to text
       classification", Journal of Machine Learning Research 2, 2001.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [0.1, 1.0], [-2.0, 3.0]])
    >>> learner = SimpleMargin(X, classes=("no", "yes"))
    >>> learner.tell(0, "yes")
    >>> learner.ask()
    2
    """

    #: How labels can be predicted.
    RULES: ClassVar[tuple[str, ...]] = ("svm", "vote", "random")

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool | float = False,
        kernel: Any = None,
        budget: int | None = None,
        predict_with: str = "svm",
        n_hypotheses: int = 1000,
        delta: float = 0.05,
        promise: str = "credible",
        tolerance: float = 0.05,
        sampler: str = "reflection",
        random_state: Any = 0,
        client: Any = None,
    ) -> None:
        self.predict_with = checked_rule(predict_with, self.RULES)
        self.n_hypotheses = positive_integer(n_hypotheses, "n_hypotheses")
        self.delta, self.seed = probability(delta, "delta"), entropy(random_state)
        view = View.of(X, bias=bias, kernel=kernel, seed=self.seed, client=client)
        settings = (view.pool, self.n_hypotheses, self.seed, checked_sampler(sampler))
        promised, rule = competitor_promise(promise, tolerance, self.delta, self.seed)
        parts = Parts(
            space=SeparatorSpace(*settings),
            strategy=ClosestToSeparator(self.seed),
            prediction=RULES[predict_with](),
            stopping=rule,
            promise=promised,
        )
        super().__init__(view, parts, classes=classes, budget=budget)

    @property
    def separator(self) -> Separator:
        """The max-margin separator of the answers so far."""
        found: Separator = self.parts.space.separator  # type: ignore[attr-defined]
        return found
