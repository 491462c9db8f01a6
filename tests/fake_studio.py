"""As much of Label Studio as a backend sees: its tasks, predictions and order, by HTTP."""

import json

import httpx

HOME = "http://localhost:8080"
CONFIG = """<View><Table name="row" value="$row"/><Choices name="side" toName="row">
<Choice value="left"/><Choice value="right"/></Choices></View>"""


class FakeStudio:
    """A project that asks the lowest score first, as version 1.23.2 does."""

    def __init__(self, rows) -> None:
        self.tasks = {
            10 + i: {"id": 10 + i, "data": {"row": row}, "annotations": []}
            for i, row in enumerate(rows)
        }
        self.predictions: dict[int, dict] = {}
        self.project: dict = {}
        self.refuses = False
        self.annotations = 0

    def connect(self, address, token):
        from aluma.adapters.label_studio.studio import Studio

        transport = httpx.MockTransport(self._answer)
        return Studio(address, token, httpx.Client(transport=transport, base_url=address))

    def next(self) -> dict:
        """Return the task that Label Studio would show next."""
        assert self.project == {"model_version": "aluma", "sampling": "Uncertainty sampling"}
        scores = {one["task"]: one["score"] for one in self.predictions.values()}
        left = [task for task in self.tasks.values() if not task["annotations"]]
        return min(left, key=lambda task: scores[task["id"]])

    def annotate(self, task: int, label: str | None) -> dict:
        """Keep an annotation, and return the webhook's body."""
        self.annotations += 1
        result = [{"from_name": "side", "to_name": "row", "type": "choices",
                   "value": {"choices": [label]}}] if label else []  # fmt: skip
        made = {"id": self.annotations, "task": task, "result": result,
                "was_cancelled": label is None, "updated_at": f"{self.annotations:06}"}  # fmt: skip
        self.tasks[task]["annotations"].append(made)
        return {"action": "ANNOTATION_CREATED", "project": {"id": 1}, "annotation": made}

    def _answer(self, request: httpx.Request) -> httpx.Response:
        path, method = request.url.path, request.method
        if self.refuses:
            return httpx.Response(401, json={"detail": "legacy tokens are disabled"})
        body = json.loads(request.content) if request.content else None
        if path == "/api/tasks":
            page, size = (int(request.url.params[name]) for name in ("page", "page_size"))
            listed = list(self.tasks.values())
            return _said({"tasks": listed[(page - 1) * size : page * size], "total": len(listed)})
        if path == "/api/predictions":
            return _said(list(self.predictions.values()))
        if path == "/api/projects/1/import/predictions":
            for one in body:
                number = len(self.predictions) + 1
                self.predictions[number] = {"id": number, **one}
            return _said({"created": len(body)})
        if path == "/api/projects/1" and method == "PATCH":
            self.project = body
            return _said({})
        assert path.startswith("/api/predictions/")
        assert method == "PATCH"
        self.predictions[int(path.split("/")[3])].update(body)
        return _said({})


def _said(found) -> httpx.Response:
    return httpx.Response(200, json=found)
