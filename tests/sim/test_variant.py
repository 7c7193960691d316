"""Variants: what a designer can write, and the sentence for what cannot be."""

import pytest

from sim.errors import UsageError
from sim.variant import Field, default_variant, read_variant, set_fields, to_toml

FIELDS = (
    Field("rounds", 3, "Rounds", low=1, high=9),
    Field("ace", "high", "Aces", choices=("high", "low", "both")),
    Field("jokers", True, "Jokers play"),
    Field("rate", 0.5, "A rate", low=0, high=1),
    Field("deal", (5, 6), "Cards by round", low=1, high=9, length=2),
    Field("elements", ("air", "fire"), "What wins"),
    Field("contracts.winter.air", "S3 S3", "Contract", check=lambda v: None if " " in v else "two melds are needed."),
)
BASE = default_variant("toy", FIELDS)


def read(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return read_variant(BASE, FIELDS, path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rounds = 0", "whole number from 1 to 9"),
        ("rounds = 10", "whole number from 1 to 9"),
        ("rounds = 2.0", "rounds = 2.0 is not possible"),
        ("rounds = true", "whole number"),
        ("rounds = '3'", "whole number"),
        ("ace = 'lo'", "one of"),
        ("ace = 1", "one of"),
        ("jokers = 1", "true or false"),
        ("rate = 2", "number from 0 to 1"),
        ("rate = nan", "number from 0 to 1"),
        ("rate = inf", "number from 0 to 1"),
        ("deal = [5]", "a list of 2"),
        ("deal = [5, 10]", "a list of 2"),
        ("deal = 5", "a list of 2"),
        ("deal = [5, 'x']", "a list of 2"),
        ("elements = ['air', 3]", "a list of"),
        ("acee = 'low'", "did you mean ace"),
        ("[contracts.wintr]\nair = 'S3 S3'", "did you mean contracts.winter.air"),
        ("[contracts.winter]\nair = 'S3'", "two melds are needed"),
        ("[rounds]\nx = 1", "rounds.x"),
        ("game = 'chess'", "for the game 'chess'"),
        ("rounds = ", "not TOML"),
        ("criteria = 3", "must be a table"),
        ("[criteria]\ncourt = 3", "must be a table of numbers"),
        ("[criteria.court]\nmargin = 'x'", "must be a table of numbers"),
    ],
)
def test_a_wrong_file_gets_one_sentence_with_its_name(tmp_path, text, words):
    with pytest.raises(UsageError, match=words) as caught:
        read(tmp_path, text)
    assert "mine.toml" in str(caught.value)
    assert "\n" not in str(caught.value).strip()


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_variant(BASE, FIELDS, tmp_path / "missing.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_variant(BASE, FIELDS, tmp_path / "binary.toml")


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("rounds", "has no '='"),
        ("rounds=x", "whole number"),
        ("acee=low", "did you mean ace"),
        ("jokers=maybe", "true or false"),
    ],
)
def test_wrong_settings(setting, words):
    with pytest.raises(UsageError, match=words):
        set_fields(BASE, FIELDS, [setting])


def test_a_written_variant_reads_back_as_itself(tmp_path):
    settings = [
        "rounds=7",
        "ace=low",
        "jokers=no",
        "rate=0.25",
        "deal=4,5",
        "elements=fire",
        "contracts.winter.air=R4 S3",
    ]
    made = set_fields(BASE, FIELDS, settings)
    assert (made["rounds"], made["jokers"], made["deal"], made["elements"]) == (7, False, (4, 5), ("fire",))
    back = read(tmp_path, to_toml(made, FIELDS, "Toy"))
    assert back.values == made.values
    assert back.hash == made.hash != BASE.hash
