"""Names, tokens, and who is let in as whom."""

import stat

import pytest

from aluma.app.people import names, tokens
from aluma.app.people.admission import Admission
from aluma.app.people.begin import wish
from aluma.errors import BadInput, Refused
from aluma.session import Session
from sessions import SMALL, X


def test_names_are_listed_with_commas_and_kept_as_text():
    assert names.listed('anna, ben ,"von Carl, Dr.",<b>Ölga</b>,دانا') == (
        "anna", "ben", "von Carl, Dr.", "<b>Ölga</b>", "دانا",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("anna,Anna", "is taken"),
        ("anna,\uff41\uff4e\uff4e\uff41", "is taken"),
        ("anna,", "needs a letter"),
        ("anna,b\x1b[31men", "control character"),
        ("anna,\u202enneb", "turns the direction of text \\(U\\+202E\\)"),
        ("anna," + "x" * 61, "61 characters"),
        ("anna", "1 name: list two"),
        (",".join(f"p{i}" for i in range(51)), "50 people"),
    ],
)
def test_what_is_no_name_is_refused_with_the_reason(given, why):
    with pytest.raises(BadInput, match=why):
        wish(given, None, None)


def test_tokens_differ_stay_and_tell_nothing_of_each_other(tmp_path):
    session = tmp_path / "s.aluma"
    key = tokens.key_of(session)
    made = {tokens.token(key, name) for name in ("", "anna", "ben")}
    assert len(made) == 3
    assert all(len(one) == 32 for one in made)
    assert tokens.key_of(session) == key
    assert stat.S_IMODE(tokens.place(session).stat().st_mode) == 0o600
    assert tokens.key_of(session, "a-token-of-mine") != key
    tokens.place(session).write_bytes(b"short")
    assert tokens.key_of(session) != key


def test_a_token_is_one_persons_and_a_name_stays_whose_it_was(tmp_path):
    path = tmp_path / "s.aluma"
    with Session.create(path, X, classes=(False, True), **SMALL) as session:
        admission = Admission(session, b"k" * 32, ("anna", "ben"))
        assert admission.who(admission.token("anna")) == "anna"
        for stranger in ("", "ben", admission.token("carl"), admission.token(), "é" * 32):
            assert admission.who(stranger) is None
        with pytest.raises(Refused, match="link of their own"):
            admission.join("carl")
        session.say("dora", 1, True)
    with Session.open(path, X) as session:
        asking = Admission(session, b"k" * 32, asks=True)
        assert asking.names == ("anna", "ben", "dora")
        assert asking.who(asking.token()) == ""
        for taken in ("anna", "DORA"):
            with pytest.raises(BadInput, match="is taken"):
                asking.join(taken)
        assert asking.who(asking.join(" carl ")) == "carl"
    with Session.open(path, X) as session:
        again = Admission(session, b"k" * 32, asks=True)
        assert again.who(asking.token("carl")) == "carl"
        # Who is not listed has no link any more.
        assert Admission(session, b"k" * 32, ("Anna", "ben")).who(asking.token("carl")) is None
