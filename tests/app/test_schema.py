"""The interface keeps what its own description promises, whatever is sent to it."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from checking import checking, messages
from running_page import TOKEN, Running

schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis: aluma[test]")


def test_the_interface_is_as_described(run):
    page = run()
    assert len(kept_by(page)) > 10
    assert page.state()["progress"]["size"] == 400


def test_so_is_that_of_the_page_for_checks(stack: ExitStack, tmp_path: Path):
    page = checking(stack, messages(tmp_path / "m.csv")[0])
    assert "/api/export/statement.txt" in kept_by(page, cases=2)
    assert page.state()["evidence"]["size"] == 300


def kept_by(page: Running, cases: int = 4) -> set[str]:
    """Send all sorts of things to a page, and return the paths that did as described."""
    schema = schemathesis.openapi.from_url(
        f"{page.url}/openapi.json", headers={"authorization": f"Bearer {TOKEN}"}
    )
    seen = set()
    for result in schema.get_all_operations():
        operation = result.ok()
        seen.add(operation.path)

        @settings(
            max_examples=cases,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @_given(operation)
        def check(case):
            if case.query and "wait" in case.query:
                case.query["wait"] = 0
            response = case.call(headers={"authorization": f"Bearer {TOKEN}"}, timeout=30)
            assert response.status_code < 500, response.text
            case.validate_response(response, excluded_checks=[])

        check()
    return seen


def _given(operation):
    from hypothesis import given

    return given(case=operation.as_strategy())
