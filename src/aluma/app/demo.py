"""Messages to a parcel service, made up for the demonstration: some are complaints.

They are generated from the phrases below, and nothing is hidden about it: half the phrases of a
message say what it is about and occur in complaints and other messages alike.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

NAME, QUESTION, NO, YES = "messages to a parcel service", "Is it a complaint?", "other", "complaint"
SIZE = 400

OPENINGS = (
    "Hello,", "Good morning,", "Dear team,", "Hi there,", "To whom it may concern:", "Hello again,",
    "Good evening,", "Hi,",
)  # fmt: skip
THINGS = (
    "the lamp I ordered", "a box of books for my sister", "my new kettle", "the blue armchair",
    "a birthday present", "two bags of coffee", "the spare part for my bike", "a pair of boots",
    "the laptop charger", "six wine glasses", "a letter from my bank", "my mother's glasses",
)  # fmt: skip
TIMES = (
    "on Monday", "yesterday", "last week", "this morning", "before the holidays", "on Friday night",
    "two days ago", "at noon",
)  # fmt: skip
PLACES = (
    "at the shop on Mill Street", "with my neighbour", "at the station", "in front of my door",
    "at the office", "behind the garden gate", "at your depot",
)  # fmt: skip
COMPLAINTS = (
    "{Thing} arrived {time} and the box was crushed.",
    "I have waited three weeks for {thing} and nobody answers my calls.",
    "Your driver left {thing} {place} in the rain.",
    "{Thing} never came, although your page says it was delivered {time}.",
    "This is the second time that {thing} is broken when it gets here.",
    "I paid for express, and {thing} came four days late.",
    "Somebody had opened the parcel with {thing}, and half of it is missing.",
    "The driver was rude {time} and threw {thing} over the fence.",
    "You charged me twice for {thing} and I still have no refund.",
    "I stayed at home {time} for nothing: no driver, no note, no parcel.",
    "{Thing} was left {place}, which I had asked you not to do.",
)
OTHERS = (
    "Could you tell me when {thing} will be delivered?",
    "May I collect {thing} {place} instead of having it delivered?",
    "I would like to change the address for {thing} before it leaves the depot.",
    "How much does it cost to send {thing} to Norway?",
    "{Thing} arrived {time} in perfect shape, thank you.",
    "Please leave {thing} {place} if nobody is at home.",
    "Do you deliver on Saturdays, or should I collect {thing} {place}?",
    "I am moving house: where do I give you my new address for {thing}?",
    "The driver who brought {thing} {time} was very kind, please tell him.",
    "Is there a form for sending {thing} abroad, and where do I find it?",
    "Can I pay by card when you bring {thing} {place}?",
)
CLOSINGS = (
    "Please answer soon.", "Thank you for your help.", "I look forward to hearing from you.",
    "Best wishes", "", "You can reach me by phone after six.", "Kind regards", "",
)  # fmt: skip
SERIOUS = ("I expect better.", "This is not good enough.", "I want my money back.", "")


def messages(size: int = SIZE, seed: int = 7) -> tuple[pd.DataFrame, list[str]]:
    """Return messages, no two of them equal, and what each of them is."""
    rng = np.random.default_rng(seed)
    found: dict[str, str] = {}
    while len(found) < size:
        complains = bool(rng.random() < 0.4)
        body = str(rng.choice(COMPLAINTS if complains else OTHERS))
        thing = str(rng.choice(THINGS))
        filled = body.format(
            thing=thing,
            Thing=thing[0].upper() + thing[1:],
            time=rng.choice(TIMES),
            place=rng.choice(PLACES),
        )
        closing = rng.choice(SERIOUS if complains and rng.random() < 0.3 else CLOSINGS)
        text = f"{rng.choice(OPENINGS)}\n{filled} {closing}".rstrip()
        found.setdefault(text, YES if complains else NO)
    return pd.DataFrame({"message": list(found)}), list(found.values())
