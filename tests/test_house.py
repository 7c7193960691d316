"""The house is in order: every complaint names its place."""

import ast
import re

import pytest

import cli
from sim.game import REGISTRY
from tests import commands, house
from tests.golden import golden_file

README = (house.ROOT / "README.md").read_text(encoding="utf-8")
SAMPLE = '''
"""Celestial Ranks in prose."""
REGISTRY = {"alakablast": 1}
def deal(self, celestial_ranks): "Elestrals."; return "about Alakablast"
'''


def none(complaints):
    assert not complaints, "\n" + "\n".join(complaints)


@pytest.mark.parametrize("name", REGISTRY)
def test_every_rule_is_the_docstring_of_one_function(name):
    none(house.complaints_of_rules(name))


def test_no_function_is_long():
    none(house.long_functions())


def test_no_function_has_many_arguments():
    none(house.wide_functions())


def test_no_game_is_named_outside_its_folder():
    none(house.named_games())


def test_all_that_is_public_is_documented():
    none(house.undocumented())


def test_what_looks_for_faults_finds_them():
    tree = ast.parse(SAMPLE)
    (deal,) = house.functions("sample.py", tree)
    assert (deal.arguments, deal.lines, deal.place) == (1, 1, "sample.py:4 deal")
    assert [word for _, text in house.texts(tree, "REGISTRY") for word in house.named(text)] == [
        "celestial_ranks",
        "alakablast",
    ]
    assert sum(len(house.named(text)) for _, text in house.texts(tree, "")) == 3
    assert [name for name, node in house.public(tree) if ast.get_docstring(node) is None] == []


def test_every_game_has_golden_playthroughs():
    assert [name for name in REGISTRY if not golden_file(name).exists()] == []


def test_commands_of_the_readme_exist_with_their_options():
    rows = re.findall(r"^\| `evenhand ([^|]+)\|([^|]+)\|$", README, re.MULTILINE)
    assert {row[0].split()[0].strip("`") for row in rows} == set(cli.main.commands)
    for words, note in rows:
        name = words.split()[0].strip("`")
        known = {word for option in cli.main.commands[name].params for word in (*option.opts, *option.secondary_opts)}
        assert set(re.findall(r"--[a-z-]+", words + note)) <= known, words


def test_options_that_the_pages_name_exist():
    known = {word for command in (cli.main, *cli.main.commands.values()) for option in command.params
             for word in (*option.opts, *option.secondary_opts)} | {"--help"}  # fmt: skip
    others = {"--require-hashes", "--no-deps", "--no-build-isolation"}  # of pip
    for page in (README, (house.ROOT / "docs" / "games.md").read_text(encoding="utf-8")):
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page)) <= known | others


def test_every_option_is_in_the_docs():
    """`make docs` writes the page."""
    page = commands.PAGE.read_text(encoding="utf-8")
    assert page == commands.page()
    for name, command in cli.main.commands.items():
        part = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert all(option.opts[-1] in part for option in command.params if option.param_type_name == "option")


def test_the_docs_point_at_what_exists():
    pages = [house.ROOT / "README.md", *sorted(house.ROOT.glob("[A-Z]*.md")), *sorted((house.ROOT / "docs").glob("*"))]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_pages_for_those_who_carry_on_name_what_exists():
    for name in ("ARCHITECTURE.md", "CONTRIBUTING.md"):
        words = re.findall(r"`([a-z]+/[^`\s]*)`", (house.ROOT / name).read_text(encoding="utf-8"))
        assert len(words) > 5
        for word in words:
            pattern = word.replace("GAME", "*").rstrip("/")
            assert list(house.ROOT.glob(pattern)) or list(house.ROOT.glob(f"{pattern}.py")), f"{name}: {word}"
