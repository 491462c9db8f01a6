"""Who is asked what: nothing twice at once, nothing lost with who leaves, a share asked again."""

from aluma.app.people.dealing import ACTIVE, HAND, LEASE, Dealer, asked_twice


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def dealer(examples=range(20), **more):
    clock = Clock()
    made = Dealer(clock)
    made.stock(list(examples), more.get("again", {}), more.get("gone", ()), checks=False)
    return made, clock


def hand(made, who):
    return [card.example for card in made.hand(who)]


def test_everybody_has_questions_of_their_own():
    made, _ = dealer()
    hands = [hand(made, who) for who in ("anna", "ben", "carl")]
    assert [len(one) for one in hands] == [HAND] * 3
    assert len({i for one in hands for i in one}) == 3 * HAND
    # Looking again changes nothing.
    assert hand(made, "anna") == hands[0]


def test_the_question_on_the_screen_stays_while_the_learner_moves_on():
    made, _ = dealer()
    first, second = hand(made, "anna")
    made.took("anna", first, second)
    assert hand(made, "anna")[0] == second
    made.stock([15, 16, 17], {}, [first], checks=True)
    assert hand(made, "anna")[0] == second
    assert not made.hand("anna")[0].check
    assert hand(made, "ben") == [15, 16]
    assert all(card.check for card in made.hand("ben"))


def test_who_leaves_keeps_nothing_from_the_others():
    made, clock = dealer(examples=[1, 2])
    assert hand(made, "anna") == [1, 2]
    assert hand(made, "ben") == []
    assert made.wanting
    clock.now = LEASE - 1
    assert hand(made, "ben") == []
    clock.now = LEASE
    assert hand(made, "ben") == [1]
    made.took("ben", 1)
    # Who comes back is not asked what was answered meanwhile.
    assert hand(made, "anna") == [2]


def test_who_does_nothing_holds_one_question_only():
    made, clock = dealer()
    first, second = hand(made, "anna")
    clock.now = ACTIVE
    made.stock(list(range(10, 20)), {}, [first, second], checks=False)
    assert hand(made, "anna") == [10]
    made.took("anna", 10)
    assert hand(made, "anna") == [11, 12]


def test_a_second_answer_is_asked_of_another_person_only_once():
    made, _ = dealer(again={50: ("anna",)}, gone=[50])
    assert 50 not in hand(made, "anna")
    assert 50 in hand(made, "ben")
    assert 50 not in hand(made, "carl")
    made.took("ben", 50)
    assert all(50 not in hand(made, who) for who in ("anna", "ben", "carl"))


def test_what_was_taken_back_is_asked_again():
    made, _ = dealer()
    first, second = hand(made, "anna")
    made.took("anna", first, second)
    made.give_back("anna", first, again=False)
    assert hand(made, "anna")[:2] == [first, second]


def test_what_was_taken_back_is_asked_again_though_two_others_answered_it():
    made, _ = dealer()
    first, second = hand(made, "anna")
    made.took("anna", first, second)
    made.give_back("anna", first, again=True)
    # Two others have answered it, so nobody else is asked about it.
    made.stock(list(range(10, 20)), {}, [first], checks=False)
    assert hand(made, "anna")[0] == first
    made.took("anna", first)
    made.stock(list(range(10, 20)), {}, [first], checks=False)
    assert first not in hand(made, "anna")


def test_a_share_of_the_examples_is_asked_twice_the_same_after_a_restart():
    twice = [i for i in range(20_000) if asked_twice("s", i, 0.1)]
    assert 1_800 < len(twice) < 2_200
    assert twice == [i for i in range(20_000) if asked_twice("s", i, 0.1)]
    assert set(twice) <= {i for i in range(20_000) if asked_twice("s", i, 0.2)}
    assert not any(asked_twice("s", i, 0.0) for i in range(1000))
    assert all(asked_twice("s", i, 1.0) for i in range(1000))


def test_what_was_taken_back_and_answered_elsewhere_is_not_asked_again():
    for who in ("anna", None):
        made, _ = dealer()
        first, second = hand(made, "anna")
        made.took("anna", first, second)
        made.give_back("anna", first, again=True)
        made.settle(first, "ben")
        made.stock(list(range(10, 20)), {}, [first], checks=False)
        assert hand(made, "anna")[0] == first
        made.settle(first, who)
        made.stock(list(range(10, 20)), {}, [first], checks=False)
        assert first not in hand(made, "anna")
        assert len(hand(made, "anna")) == 2
