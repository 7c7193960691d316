"""The sentence of a comparison: who moves by how much, and in one clause that nobody else does."""

from analysis.moments import Sample
from analysis.verdicts import verdict
from reports.sections.change import shares_phrase


def moved(name, mean, error, margin=0.025):
    sample = Sample(n=1000, mean=mean, variance=error**2 * 1000, low=-1.0, high=1.0)
    return verdict(sample, null=0.0, margin=margin, name=name)


def test_those_who_do_not_move_are_one_clause():
    still = [moved("Winter", 0.0002, 0.002), moved("Spring", 0.0, 0.001)]
    most = max(v.smallest_margin for v in still)
    assert 0.002 < most < 0.01
    found = shares_phrase([still[0], moved("Summer", 0.014, 0.002), still[1]])
    assert found == f"Summer gains 1.4 points, nobody else moves by more than {100 * most:.1f} points: shown"


def test_a_large_change_is_said_to_be_proved_beyond_the_margin():
    found = shares_phrase([moved("Human", -0.06, 0.002)])
    assert found == "Human loses 6.0 points, shown to be more than 2.5 points"


def test_the_largest_comes_first():
    found = shares_phrase([moved("a", 0.01, 0.001), moved("b", -0.02, 0.001)])
    assert found == "b loses 2.0 points, a gains 1.0 points"


def test_what_is_open_is_not_called_shown():
    found = shares_phrase([moved("a", 0.0, 0.03), moved("b", 0.0, 0.001)])
    assert found.startswith("no share moves by more than ")
    assert "shown" not in found
    assert found.endswith("too wide yet for a verdict on a")
