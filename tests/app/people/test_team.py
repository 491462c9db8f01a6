"""Several people at one session, through the interface: whose answer is whose, and what counts."""

import io
import json
import logging
import threading
import zipfile
from contextlib import ExitStack

import httpx
import pandas as pd
import pytest

from aluma.app.opening import Wanted, opened
from aluma.app.people.begin import Wish, wish
from aluma.errors import BadInput
from running_page import LABELS, plane

NAMES = ("anna", "ben", "<b>carl</b>")
OTHER = {"left": "right", "right": "left"}


class Someone:
    """A person with a client of their own."""

    def __init__(self, page, name, token=None):
        self.page, self.name, self._count = page, name, 0
        token = token or page.desk.admission.token(name)
        headers = {"authorization": f"Bearer {token}"}
        self.client = httpx.Client(base_url=page.url, headers=headers, timeout=30, trust_env=False)

    def state(self, **params):
        return self.client.get("/api/state", params=params).json()

    def asked(self):
        """Return the example that this person is asked about."""
        state = self.state()
        for _ in range(60):
            if state["question"] is not None or state["progress"]["exhausted"]:
                break
            state = self.state(after=state["tick"], wait=1)
        return None if state["question"] is None else state["question"]["example"]

    def post(self, what, **body):
        self._count += 1
        request = f"{len(self.name)}-{id(self)}-{self._count}"
        return self.client.post(f"/api/{what}", json={"request": request, **body})

    def say(self, example, label):
        reply = self.post("answer", example=example, label=label)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def answer(self, truth, wrong=()):
        example = self.asked()
        label = truth[example]
        self.say(example, OTHER[label] if example in wrong else label)
        return example


@pytest.fixture
def team(run, points):
    """Return a page for three people, those people, and the right answers."""
    path, truth = points
    page = run(path, **LABELS, people=Wish(NAMES, asks=False, overlap=0.0))
    people = [Someone(page, name) for name in NAMES]
    yield page, people, truth
    for one in people:
        one.client.close()


def said(page):
    return {(voice.who, voice.example): voice.label for voice in page.desk.voices}


def reviewed(someone, what="answered", **wish):
    return someone.client.get("/api/review", params={"what": what, **wish}).json()


def said_in(found):
    return {one["card"]["example"]: one["said"] for one in found["items"]}


def test_everybody_has_other_questions_and_answers_carry_names(team):
    page, people, truth = team
    asked = [one.asked() for one in people]
    assert len(set(asked)) == 3
    for one, example in zip(people, asked, strict=True):
        one.say(example, truth[example])
    given = {(one.name, i): truth[i] for one, i in zip(people, asked, strict=True)}
    assert said(page) == given
    assert page.desk.settled(20)
    assert sorted(page.desk.session.answered.tolist()) == sorted(asked)
    assert [one.state()["me"] for one in people] == list(NAMES)
    assert people[0].state()["last"][0]["card"]["example"] == asked[0]
    assert {i for one in people for i in [one.asked()]}.isdisjoint(asked)


def test_a_token_acts_for_its_person_only_and_the_plain_one_for_nobody(team):
    page, (_, ben, _), _ = team
    assert page.client.get("/api/state").status_code == 401
    token = page.desk.admission.token("anna")
    stolen = Someone(page, "anna", token[:-1] + ("A" if token[-1] != "A" else "B"))
    assert stolen.client.get("/api/state").status_code == 401
    # Nothing in a request says who it is of but the token.
    forged = ben.post("answer", example=5, label="left", who="anna")
    assert forged.status_code == 422
    cookie = f"aluma-{page.url.rpartition(':')[2]}={token}"
    reply = ben.client.post(
        "/api/answer",
        json={"request": "c", "example": 5, "label": "left"},
        headers={"cookie": cookie},
    )
    assert reply.status_code == 200
    assert said(page) == {("ben", 5): "left"}
    assert ben.client.post("/api/join", json={"name": "dora"}).status_code == 409
    opened_again = httpx.get(f"{page.url}/", params={"token": token}, trust_env=False)
    assert f"={token};" in opened_again.headers["set-cookie"]
    stolen.client.close()


def test_undo_takes_back_ones_own_and_asks_it_again(team):
    page, (anna, ben, carl), truth = team
    first = anna.answer(truth)
    second = ben.answer(truth)
    assert carl.post("undo").status_code == 409
    assert anna.post("undo").json()["example"] == first
    assert anna.asked() == first
    assert page.desk.settled(20)
    assert said(page) == {("ben", second): truth[second]}
    assert page.desk.session.answered.tolist() == [second]
    anna.say(first, truth[first])
    assert page.desk.settled(20)
    assert set(page.desk.session.answered.tolist()) == {first, second}


def test_what_was_taken_back_and_changed_in_the_list_is_not_asked_again(team):
    page, (anna, ben, _), truth = team
    example = anna.answer(truth)
    ben.say(example, truth[example])
    assert anna.post("undo").json()["example"] == example
    assert anna.asked() == example
    assert anna.post("change", example=example, label=OTHER[truth[example]]).status_code == 200
    assert page.desk.settled(20)
    assert anna.asked() != example
    assert said(page)["anna", example] == OTHER[truth[example]]


def test_a_repeated_request_and_a_second_tab_change_nothing(team):
    page, (anna, ben, _), truth = team
    body = {"request": "one", "example": 3, "label": truth[3]}
    for _ in range(3):
        assert anna.client.post("/api/answer", json=body).status_code == 200
    tab = Someone(page, "anna")
    reply = tab.post("answer", example=3, label=OTHER[truth[3]])
    assert reply.status_code == 409
    assert "another tab" in reply.json()["detail"]
    assert len([e for e in page.desk.session.log if e.kind == "say"]) == 1
    assert tab.asked() == anna.asked() != ben.asked()
    tab.client.close()


def test_a_disagreement_is_listed_and_what_was_resolved_is_learnt(team):
    page, (anna, ben, carl), truth = team
    anna.say(3, truth[3])
    ben.say(3, OTHER[truth[3]])
    carl.say(4, truth[4])
    assert page.desk.settled(20)
    assert anna.state()["disputes"] == 1
    found = anna.client.get("/api/people").json()
    assert found["open"] == 1
    assert [one["who"] for one in found["disputes"][0]["said"]] == ["anna", "ben"]
    # Of two who are alike reliable, the first counts.
    assert found["disputes"][0]["counts"] == truth[3]
    assert (found["pairs"][0]["both"], found["pairs"][0]["same"]) == (1, 0)
    assert carl.post("resolve", example=3, label=OTHER[truth[3]]).status_code == 200
    assert carl.post("resolve", example=9, label="left").status_code == 409
    assert page.desk.settled(20)
    told = dict(zip(page.desk.session.answered, page.desk.session.answers, strict=True))
    assert told[3] == OTHER[truth[3]]
    assert anna.client.get("/api/people").json()["open"] == 0
    rows = anna.client.get("/api/export/labels.csv").text
    frame = pd.read_csv(io.StringIO(rows), keep_default_na=False)
    assert frame["label"][3] == OTHER[truth[3]]
    assert (frame["label_people"][3], frame["label_resolved_by"][3]) == ("anna; ben", NAMES[2])
    # A review shows who said what, and what one person said or skipped.
    ben.post("skip", example=6)
    shown = {name: reviewed(anna, person=name) for name in ("", *NAMES)}
    assert shown[""]["people"] == list(NAMES)
    assert {name: sorted(said_in(found)) for name, found in shown.items()} == {
        "": [3, 4], NAMES[0]: [3], NAMES[1]: [3], NAMES[2]: [4]
    }  # fmt: skip
    assert said_in(shown[""])[3] == {NAMES[0]: truth[3], NAMES[1]: OTHER[truth[3]]}
    assert [*said_in(reviewed(anna, person=NAMES[1], what="skipped"))] == [6]


def test_checks_count_in_the_order_of_their_draws_whoever_is_first(run, tmp_path):
    frame = plane(size=150)
    path, truth = tmp_path / "many.csv", frame["side"].tolist()
    frame.drop(columns="side").to_csv(path, index=False)
    page = run(path, **LABELS, people=Wish(("anna", "ben"), asks=False, overlap=0.0))
    anna, ben = Someone(page, "anna"), Someone(page, "ben")
    session = page.desk.session
    learner = session.fork()
    while learner.phase == "learning":
        i = int(learner.ask())
        learner.tell(i, truth[i])
        anna.say(i, truth[i])
    assert page.desk.settled(60)
    assert session.phase == "checking"
    drawn = session.ask(6).tolist()
    for i in drawn[1:5]:
        ben.say(i, truth[i])
    assert page.desk.settled(20)
    # The first of the draws is not there, so none of them counts, and none is lost.
    assert session.audit.asked == 0
    assert set(page.desk.waiting) == set(drawn[1:5])
    exported = pd.read_csv(io.StringIO(ben.client.get("/api/export/labels.csv").text))
    assert all(exported["label"][i] == truth[i] for i in drawn[1:5])
    assert all(exported["label_by"][i] == "person" for i in drawn[1:5])
    anna.say(drawn[0], truth[drawn[0]])
    assert page.desk.settled(20)
    assert session.audit.checked.tolist() == drawn[:5]
    assert session.audit.answers == learner_answers(learner, drawn[:5], truth)
    # What is resolved afterwards is what the check counts.
    wrong = len(session.audit.wrong)
    ben.post("resolve", example=drawn[2], label=OTHER[truth[drawn[2]]])
    assert page.desk.settled(20)
    assert len(session.audit.wrong) != wrong
    anna.client.close()
    ben.client.close()


def learner_answers(learner, drawn, truth):
    """Return what an audit hears from one person who answers the same checks in order."""
    for i in drawn:
        assert learner.ask() == i
        learner.tell(i, truth[i])
    return learner.audit.answers


def test_all_is_asked_twice_of_others_and_nothing_is_asked_of_anybody_again(run, points):
    path, truth = points
    page = run(path, **LABELS, tolerance=0.0, people=Wish(("anna", "ben"), False, 1.0))
    people = [Someone(page, name) for name in ("anna", "ben")]
    for _ in range(8):
        for one in people:
            one.answer(truth)
    assert len(said(page)) == 16
    both = {i for _, i in said(page)}
    twice = [i for i in both if {("anna", i), ("ben", i)} <= said(page).keys()]
    assert len(twice) >= 5
    for one in people:
        one.client.close()


def test_three_at_once_lose_nothing(team):
    page, people, truth = team
    given, errors = {}, []

    def answers(one):
        for _ in range(8):
            example = one.asked()
            if example is None:
                return
            reply = one.post("answer", example=example, label=truth[example])
            if reply.status_code == 200:
                given[one.name, example] = truth[example]
            else:
                errors.append(reply.text)

    threads = [threading.Thread(target=answers, args=(one,)) for one in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert said(page) == given
    assert len(given) == 24
    assert len({i for _, i in given}) == 24


def test_what_was_said_but_not_learnt_when_the_process_died_is_learnt_when_it_begins_again(
    points, tmp_path
):
    path, truth = points
    both = wish("a,b", None, None)
    beside = {"source": path, "session": tmp_path / "s.aluma", "hypotheses": 200, **LABELS}
    wanted = Wanted(**beside, people=both)
    found = opened(wanted)
    assert found.desk.settled(20)
    session = found.desk.session
    found.desk.close()
    # As if it had been killed between the two.
    from aluma.pool import Pool
    from aluma.session import Session

    with Session.open(session.path, Pool(found.features.X, prepared=True)) as session:
        session.say("a", 3, truth[3])
        session.say("b", 4, None)
    # Without --people the session goes on with those that it has.
    again = opened(Wanted(**beside))
    try:
        assert again.desk.admission.names == ("a", "b")
        assert again.desk.admission.token("a") == found.desk.admission.token("a")
        assert again.desk.settled(20)
        assert again.desk.session.answered.tolist() == [3]
        assert [entry.kind for entry in again.desk.session.kept] == ["tell", "skip"]
    finally:
        again.desk.close()


def test_names_are_asked_for_on_the_first_visit(run, points, caplog):
    path, truth = points
    with caplog.at_level(logging.DEBUG):
        page = run(path, **LABELS, people=wish("ask", None, None))
        admission = page.desk.admission
        guest = Someone(page, "", admission.token())
        assert "Who are you?" in guest.client.get("/").text
        for path in ("/api/state", "/api/people", "/main.js", "/api/export/labels.csv"):
            assert guest.client.get(path).status_code == 401
        assert guest.post("answer", example=1, label="left").status_code == 401
        with ExitStack() as stack:
            browsers = [
                stack.enter_context(httpx.Client(base_url=page.url, trust_env=False, timeout=30))
                for _ in range(2)
            ]
            link = f"/?token={admission.token()}"
            for browser, name in zip(browsers, ("<i>dora</i>", "\u202eevil"), strict=True):
                assert "Who are you?" in browser.get(link).text
                browser.reply = browser.post("/api/join", json={"name": name})
            dora, evil = browsers
            assert (dora.reply.status_code, evil.reply.status_code) == (200, 409)
            assert evil.post("/api/join", json={"name": "<I>dora</I>"}).status_code == 409
            assert evil.post("/api/join", json={"name": "x" * 5000}).status_code == 422
            assert evil.get("/api/state").status_code == 401
            assert dora.get("/api/state").json()["me"] == "<i>dora</i>"
            # Who comes again by the common link is still who they are.
            assert 'id="question' in dora.get(link).text or "main.js" in dora.get(link).text
            assert dora.get("/api/people").json()["link"].endswith(admission.token("<i>dora</i>"))
            body = {"request": "r", "example": 1, "label": truth[1]}
            assert dora.post("/api/answer", json=body).status_code == 200
        guest.client.close()
    assert said(page) == {("<i>dora</i>", 1): truth[1]}
    secrets = [admission.token(), admission.token("<i>dora</i>")]
    # The client of this test logs what it sends.
    logged = [r.getMessage() for r in caplog.records if not r.name.startswith("http")]
    assert logged
    assert not any(secret in line for line in logged for secret in secrets)


def test_exports_have_a_row_an_example_and_a_row_an_answer(team):
    page, (anna, ben, carl), truth = team
    assert anna.client.get("/api/export/answers.csv").status_code == 409
    anna.say(3, truth[3])
    ben.say(3, OTHER[truth[3]])
    ben.say(4, truth[4])
    carl.post("skip", example=5)
    assert page.desk.settled(20)
    frames = {}
    for kind, read in (("csv", pd.read_csv), ("parquet", pd.read_parquet)):
        content = anna.client.get(f"/api/export/answers.{kind}").content
        frames[kind] = read(io.BytesIO(content))
    lines = anna.client.get("/api/export/answers.jsonl").text.splitlines()
    assert [json.loads(line)["person"] for line in lines] == ["anna", "ben", "ben", "<b>carl</b>"]
    for frame in frames.values():
        assert frame["example"].tolist() == [3, 3, 4, 5]
        assert frame["answer"].tolist()[:3] == [truth[3], OTHER[truth[3]], truth[4]]
        assert frame["skipped"].tolist() == [False, False, False, True]
        assert frame["time"].str.startswith("20").all()
        assert frame["label"].tolist()[:3] == [truth[3], truth[3], truth[4]]
        assert {"x", "y"} <= set(frame.columns)
    archive = zipfile.ZipFile(io.BytesIO(anna.client.get("/api/export/dataset.zip").content))
    assert {name.partition("/")[2].rpartition("/")[0] for name in archive.namelist()} == {
        "labels", "answers", "",
    }  # fmt: skip
    part = next(name for name in archive.namelist() if "/labels/" in name)
    assert len(pd.read_parquet(io.BytesIO(archive.read(part)))) == len(truth)


def test_answers_of_one_person_are_exported_without_a_name(run, points):
    path, truth = points
    page = run(path, **LABELS)
    page.answer(3, truth[3])
    frame = pd.read_csv(io.StringIO(page.client.get("/api/export/answers.csv").text))
    assert frame["answer"].tolist() == [truth[3]]
    assert frame["person"].isna().all()
    assert "label_people" not in page.client.get("/api/export/labels.csv").text
    assert page.client.get("/api/people").status_code == 404


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"people": Wish(("a", "b"), asks=False), "slack": 0}, "--slack 0"),
        ({"people": Wish(overlap=0.2)}, "--overlap is for several people"),
    ],
)
def test_what_several_people_cannot_have_is_refused(points, tmp_path, more, why):
    with pytest.raises(BadInput, match=why):
        opened(Wanted(source=points[0], session=tmp_path / "s.aluma", hypotheses=200, **more))


def test_a_session_without_slack_is_not_for_several_people(points, tmp_path):
    first = Wanted(source=points[0], session=tmp_path / "s.aluma", hypotheses=200, slack=0)
    opened(first).desk.close()
    with pytest.raises(BadInput, match="begun without slack"):
        opened(
            Wanted(source=points[0], session=tmp_path / "s.aluma", people=Wish(("a", "b"), False))
        )
