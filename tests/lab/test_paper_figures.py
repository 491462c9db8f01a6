"""The paper's table stands once, and everything that quotes it quotes that."""

from aluma.lab import paper_figures
from aluma.lab.experiments.paper import OCTAHEDRON


def test_the_claim_is_the_table_in_words() -> None:
    assert OCTAHEDRON.claim == (
        "ALuMA needs 29, 38 and 55 labels for d = 10, 12, 15: far fewer than TK (156, 735, 959), "
        "QBC (50, 113, 150), CAL (308, 862, 2401) and ERM (1008, 3958, >20000)."
    )


def test_the_table_has_everyone_at_every_dimension() -> None:
    names = [list(row) for row in paper_figures.OCTAHEDRON.values()]
    assert names == [["ALuMA", "TK", "QBC", "CAL", "ERM"]] * 3
    assert OCTAHEDRON.printed is paper_figures.OCTAHEDRON
    assert {e.paper for e in OCTAHEDRON.entrants} - {""} == set(names[0])
