"""The wheel: all files are in it, and what is in it plays without the tree."""

import os
import site
import subprocess
import sys
import venv
import zipfile

import pytest

from sim.game import REGISTRY, load
from sim.version import VERSION
from tests.wheel import PACKAGES, build, complaints_of_sdist, complaints_of_wheel, installed_files


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel of this tree."""
    return build(tmp_path_factory.mktemp("dist"), "wheel")[0]


def clean(**more):
    """Return an environment in which Python does not find this tree."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYTEST", "NUMBA"))}
    return kept | {"NO_COLOR": "1"} | more


def output_of(command, folder, env):
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_wheel_holds_all_files(wheel):
    assert complaints_of_wheel(wheel) == []
    wanted = installed_files()
    assert {f"{name}/py.typed" for name in PACKAGES} <= wanted
    for name in REGISTRY:
        folder = load(name).folder
        inside = {f"sim/games/{folder.name}/{p.relative_to(folder).as_posix()}" for p in folder.rglob("*.toml")}
        assert inside <= wanted
    assert "sim/games/fox_in_the_forest/expert.toml" in wanted
    assert sum(name.startswith("sim/games/elestrals/cards/") for name in wanted) > 10
    assert sum(name.startswith("reports/templates/") for name in wanted) >= 5


def test_a_wheel_without_the_command_line_is_noticed(wheel, tmp_path):
    cut = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(cut, "w") as copy:
        for name in whole.namelist():
            if name != "cli.py":
                copy.writestr(name, whole.read(name))
    assert complaints_of_wheel(cut) == ["cli.py is missing"]


def test_an_sdist_holds_all_files(tmp_path):
    assert complaints_of_sdist(build(tmp_path, "sdist")[0]) == []


def test_an_unpacked_wheel_plays_from_an_empty_folder(wheel, tmp_path):
    """Kernels in plain Python, so that nothing is compiled here."""
    place, here = tmp_path / "place", tmp_path / "here"
    here.mkdir()
    subprocess.run([sys.executable, "-m", "zipfile", "-e", str(wheel), str(place)], check=True)
    env = clean(PYTHONPATH=str(place), NUMBA_DISABLE_JIT="1")
    evenhand = [sys.executable, "-c", "from cli import main; main()"]
    where = output_of([sys.executable, "-c", "import cli, sim; print(cli.__file__, sim.__file__)"], here, env).split()
    assert where == [str(place / "cli.py"), str(place / "sim" / "__init__.py")]
    assert "evenhand report" in output_of([*evenhand, "--help"], here, env)
    assert output_of([*evenhand, "--version"], here, env) == f"evenhand, version {VERSION}\n"
    listed = output_of([*evenhand, "games"], here, env)
    assert all(name in listed for name in REGISTRY)
    output_of([*evenhand, "run", "alakablast", "--games", "8", "--seats", "2", "--policy", "novice", "-q"], here, env)
    assert [path.name for path in here.iterdir()] == ["runs"]
    assert list((here / "runs").glob("*/games/*.parquet"))


@pytest.mark.full
def test_an_installed_wheel_runs_every_game_and_reports(wheel, tmp_path):
    """A fresh environment and an empty cache; the libraries are those of this environment."""
    place, here = tmp_path / "venv", tmp_path / "here"
    here.mkdir()
    venv.create(place, with_pip=True)
    (packages,) = place.glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    env = clean(EVENHAND_CACHE_DIR=str(tmp_path / "cache"))
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    output_of([*pip, str(wheel)], here, env)
    evenhand = str(place / "bin" / "evenhand")
    where = output_of([str(place / "bin" / "python"), "-c", "import cli; print(cli.__file__)"], here, env)
    assert where.strip() == str(packages / "cli.py")
    assert output_of([evenhand, "--version"], here, env) == f"evenhand, version {VERSION}\n"
    for name in REGISTRY:
        output_of([evenhand, "run", name, "--games", "200", "-q"], here, env)
    output_of([evenhand, "report", "fox-in-the-forest", "--games", "400", "--out", "fox", "-q"], here, env)
    assert len(list((here / "runs").iterdir())) == len(REGISTRY)
    page = (here / "fox" / "report.html").read_text(encoding="utf-8")
    assert "The Fox in the Forest" in page
    assert "expert:100" in page  # the table that is committed beside the game came along
    assert (here / "fox" / "tables" / "abilities-committed.csv").exists()
