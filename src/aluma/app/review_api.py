"""The part of the HTTP interface that only looks: review, what speaks for a vote, the similar."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, HTTPException, Query

from aluma.app.desk import Desk
from aluma.app.features import Features
from aluma.app.review import Review, Wish
from aluma.app.review_shapes import Certainty, Reviewed, What, Why
from aluma.app.routes import OR_NONE, REFUSED, Index
from aluma.app.shapes import Found
from aluma.app.similar import nearest
from aluma.app.why import Reasons
from aluma.errors import Refused

#: Items of a list that are sent at once, at most; similar examples, in all.
MOST_ITEMS, MOST_SIMILAR = 100, 48


def add_review(app: FastAPI, desk: Desk, features: Features) -> None:
    """Let clients look through labels."""
    review, reasons = Review(desk), Reasons(desk, features)

    @app.get("/api/review", responses=REFUSED, summary="Labels to look through")
    def looked_through(
        what: What = "unanswered",
        label: Annotated[str, Query(max_length=200, description="only this answer")] = "",
        certainty: Certainty = "any",
        person: Annotated[str, Query(max_length=200, description="only what they said")] = "",
        of: Annotated[str, Query(max_length=80, description="an order begun with")] = "",
        offset: Annotated[int, Query(ge=0, lt=2**53)] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_ITEMS)] = 50,
    ) -> Reviewed:
        """Return labels nobody gave, the most doubtful first, or answers to look at again.

        Confirm or correct them by `/api/answer` and `/api/change`. Examples that are about to be
        checked at random are left out.
        """
        if label and label not in desk.task.labels:
            raise Refused(f"{label!r} is none of the answers.")
        return review.look(Wish(what, label, certainty, person), of, offset, limit)

    @app.get("/api/why/{example}", responses=OR_NONE, summary="What speaks for a vote")
    def why(example: Index) -> Why:
        """Return words and columns by their weight in the mean of the hypotheses that vote.

        It explains the model, not the world.
        """
        return reasons.why(_existing(desk, example))

    @app.get("/api/similar/{example}", responses=OR_NONE, summary="The nearest examples")
    def similar(
        example: Index,
        offset: Annotated[int, Query(ge=0, lt=2**53)] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_ITEMS)] = 24,
    ) -> Found:
        """Return the examples nearest to one by its features, with answers or the votes."""
        near = nearest(features, _existing(desk, example), MOST_SIMILAR).tolist()
        return Found(total=len(near), items=desk.verdicts(near[offset : offset + limit]))


def _existing(desk: Desk, example: int) -> int:
    if example >= len(desk.examples):
        raise HTTPException(404, f"there is no example {example}: there are {len(desk.examples)}.")
    return example
