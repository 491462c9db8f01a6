"""What the interface offers where several people label."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from aluma.app.guard import cookie_for, cookie_name
from aluma.app.people.current import person
from aluma.app.people.overview import overview
from aluma.app.people.shapes import Joined, Joining, People, Resolved
from aluma.app.people.team import Team
from aluma.app.routes import REFUSED
from aluma.app.shapes import Problem, Receipt


def add_people(app: FastAPI, team: Team) -> None:
    """Let people see who they are and how far they agree, resolve, and say their names."""

    @app.get("/api/people", responses={401: {"model": Problem}}, summary="Who labels")
    def people(request: Request) -> People:
        """Return who labels, how far they agree, how often each errs, and the disagreements."""
        return overview(team, person(), str(request.base_url))

    @app.post("/api/resolve", responses=REFUSED, summary="Resolve a disagreement")
    def resolve(body: Resolved) -> Receipt:
        """Say which answer to an example is the right one, whoever gave it."""
        return team.resolve(body.request, body.example, body.label)

    @app.post(
        "/api/join", responses={200: {"model": Joined}, **REFUSED}, summary="Say who you are",
        response_model=None,
    )  # fmt: skip
    def join(body: Joining, request: Request) -> JSONResponse:
        """Choose a name that nobody has, where names are asked for."""
        token = team.admission.join(body.name)
        reply = JSONResponse({"name": team.admission.who(token)})
        cookie = cookie_for(cookie_name(request.scope), token)
        reply.raw_headers.append((b"set-cookie", cookie))
        return reply
