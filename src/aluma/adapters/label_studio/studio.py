"""A client of Label Studio's interface: tasks, predictions, and the order that it asks in."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin, urlsplit

from aluma.errors import BadInput, Refused
from aluma.extras import needed

httpx = needed("httpx", "label-studio", "aluma label-studio")

#: Tasks in one answer.
PAGE = 500
#: What project.model_version and the predictions must agree on for the order to be aluma's.
MODEL = "aluma"
#: Seconds that an answer may take.
PATIENCE_SECONDS = 60


class Studio:
    """Label Studio at an address, with a token: a personal one, or a legacy one if it allows that.

    Personal access tokens are exchanged for short ones, which is done again when these expire.
    """

    def __init__(self, address: str, token: str, client: Any = None) -> None:
        self.address, self._token = address.rstrip("/"), token
        self._client = client or httpx.Client(
            base_url=self.address, timeout=PATIENCE_SECONDS, trust_env=False
        )
        self._access: str | None = None

    def tasks(self, project: int) -> Iterator[dict[str, Any]]:
        """Return all tasks of a project with their annotations, by their numbers."""
        page, left = 1, True
        while left:
            wanted = {"project": project, "page": page, "page_size": PAGE, "fields": "all"}
            found = self._call("GET", "/api/tasks", params=wanted)
            yield from found["tasks"]
            left, page = page * PAGE < found["total"], page + 1

    def predictions(self, project: int) -> list[dict[str, Any]]:
        """Return aluma's predictions."""
        found = self._call("GET", "/api/predictions", params={"project": project})
        listed = found["results"] if isinstance(found, dict) else found
        return [one for one in listed if one["model_version"] == MODEL]

    def add_predictions(self, project: int, made: Sequence[Mapping[str, Any]]) -> None:
        """Add predictions of many tasks at once."""
        self._call("POST", f"/api/projects/{project}/import/predictions", json=list(made))

    def change_prediction(self, number: int, changed: Mapping[str, Any]) -> None:
        """Change one prediction."""
        self._call("PATCH", f"/api/predictions/{number}/", json=dict(changed))

    def ask_in_order(self, project: int) -> None:
        """Let the project ask the task with the lowest score of aluma's predictions next."""
        order = {"model_version": MODEL, "sampling": "Uncertainty sampling"}
        self._call("PATCH", f"/api/projects/{project}", json=order)

    def picture(self, value: str) -> io.BytesIO:
        """Return the image that a field names: of Label Studio itself, or in the field."""
        if value.startswith("data:"):
            return io.BytesIO(base64.b64decode(value.partition(",")[2]))
        url = urljoin(f"{self.address}/", value)
        if urlsplit(url).netloc != urlsplit(self.address).netloc:
            raise BadInput(
                f"the image {value!r} is elsewhere than in Label Studio: import the files into it, "
                "or make features of them with --embed."
            )
        return io.BytesIO(self._answer("GET", url).content)

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _call(self, method: str, path: str, **more: Any) -> Any:
        return self._answer(method, path, **more).json()

    def _answer(self, method: str, path: str, **more: Any) -> Any:
        """Return the answer to a request, with another short token if the last has expired."""
        answer = self._client.request(method, path, headers=self._headers(), **more)
        if answer.status_code == 401 and self._access is not None:
            self._access = None
            answer = self._client.request(method, path, headers=self._headers(), **more)
        if answer.status_code == 401:
            raise Refused(
                f"Label Studio at {self.address} refuses the token ({_detail(answer)}): make a "
                "personal access token in its Account & Settings, and set LABEL_STUDIO_API_KEY."
            )
        if answer.is_error:
            raise Refused(f"Label Studio: {method} {path}: {answer.status_code} {_detail(answer)}")
        return answer

    def _headers(self) -> dict[str, str]:
        if self._token.count(".") != 2:
            return {"authorization": f"Token {self._token}"}
        if self._access is None:
            answer = self._client.post("/api/token/refresh/", json={"refresh": self._token})
            if answer.is_error:
                raise Refused(
                    f"Label Studio at {self.address} refuses the personal access token "
                    f"({_detail(answer)}): make another one, and set LABEL_STUDIO_API_KEY."
                )
            self._access = str(answer.json()["access"])
        return {"authorization": f"Bearer {self._access}"}


def _detail(answer: Any) -> str:
    with suppress(ValueError, AttributeError):
        return str(answer.json().get("detail", ""))[:200]
    return ""
