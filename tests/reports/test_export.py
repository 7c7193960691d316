"""CSV of a run: the same rows as the tables, a complete file or none."""

import pandas as pd
import pytest

import sim
from reports.export import to_csv
from sim.engine import WHOLE


@pytest.fixture(scope="module")
def run():
    return sim.simulate("celestial-ranks", games=200, seats=4, seed=5, progress=False)


def test_the_rows_are_those_of_the_run(run, tmp_path):
    written = to_csv(run, tmp_path)
    assert {path.name for path in written} == {"games.csv", "rounds.csv"} == {p.name for p in tmp_path.iterdir()}
    for path, rows in written.items():
        table = getattr(run, path.stem)
        back = pd.read_csv(path)
        assert rows == len(back) == len(table)
        assert list(back) == list(table)
        for name in table:
            if name == "share":
                assert (back[name] * WHOLE).round().astype(int).tolist() == table[name].tolist()
            elif isinstance(table[name].dtype, pd.CategoricalDtype):
                assert back[name].tolist() == table[name].astype(str).tolist()
            else:
                assert back[name].tolist() == table[name].tolist()


def test_nothing_is_left_of_a_failure(run, tmp_path):
    class Broken:
        plan = run.plan

        def parts(self):
            yield from run.parts()
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        to_csv(Broken(), tmp_path)
    assert list(tmp_path.iterdir()) == []
