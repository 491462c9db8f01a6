"""The interface keeps what its own description promises, whatever is sent to it."""

import pytest
from hypothesis import HealthCheck, settings

from running_page import TOKEN

schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis: aluma[test]")


def test_the_interface_is_as_described(run):
    page = run()
    schema = schemathesis.openapi.from_url(
        f"{page.url}/openapi.json", headers={"authorization": f"Bearer {TOKEN}"}
    )
    seen = set()
    for result in schema.get_all_operations():
        operation = result.ok()
        seen.add(operation.path)

        @settings(
            max_examples=8,
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
    assert len(seen) > 10
    assert page.state()["progress"]["size"] == 400


def _given(operation):
    from hypothesis import given

    return given(case=operation.as_strategy())
