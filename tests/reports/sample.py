"""A report of an invented game: the shape and size of a real one, made from a formula, measured by nobody."""

from __future__ import annotations

import math

from reports.model import (
    Cell,
    Column,
    Criterion,
    DataFile,
    Facts,
    FigureSpec,
    Finding,
    Header,
    Headline,
    ReportModel,
    Reproduce,
    Section,
    Story,
    Table,
    Term,
    Text,
)

COURTS = ("Summer", "Spring", "Winter", "Autumn", "Human")
NASTY = ("<script>alert(1)</script>", '"><img src=x>', r"$\frac$", "a_b", 'id="x" url(#a) & 1.23456 ')
LONG = (
    "The Most Serene and Ancient Court of the Endless Summer Beyond the Sea",
    "W" * 70,
    "Donaudampfschifffahrtsgesellschaft",
    "Zoë & Łukasz",
    "x",
)
TIERS = ("novice", "skilled", "expert")


def estimate(value: float, half: float, n: int = 200_000, flag: str = "") -> Cell:
    return Cell(value, value - half, value + half, n, flag=flag)


def table(name: str, columns: list[Column], rows: list[list[object]], **more: str) -> Table:
    cells = tuple(tuple(c if isinstance(c, Cell) else Cell(c) for c in row) for row in rows)  # type: ignore[arg-type]
    return Table(name, more.pop("title", name), tuple(columns), cells, **more)  # type: ignore[arg-type]


def _seats() -> Section:
    seats = [("seat 1 (first)", 0.2641), ("seat 2", 0.2518), ("seat 3", 0.2449), ("seat 4", 0.2392)]
    verdicts = ("undecided", "balanced", "balanced", "balanced")
    tidy = table(
        "tidy",
        [
            Column("label", "seat"),
            Column("value", "share", "share"),
            Column("verdict", "verdict", "verdict"),
            Column("panel", "shown for"),
        ],
        [
            *[[label, estimate(v, 0.0019), word, "per game"] for (label, v), word in zip(seats, verdicts)],
            *[
                [f"{k} after the starter", estimate(0.25 + 0.007 * (1.5 - k), 0.0011, 861_204), "balanced", "per round"]
                for k in range(4)
            ],
        ],
    )
    figure = FigureSpec(
        "seats",
        "forest",
        tidy,
        "The first of four seats wins 26.4 % of the games, 1.4 points more than fair; the last wins 23.9 %.",
        "Share of each seat",
        "Dots are shares, lines are 95 % intervals; the grey band is the margin.",
        {"null": 0.25, "margin": 0.025, "unit": "share", "xlabel": "share of the game"},
    )
    grid = [2_000 * 2**k for k in range(8)]
    running = table(
        "running",
        [Column("n", "games", "number"), Column("series", "headline"), Column("value", "share", "share")],
        [
            [n, name, estimate(at + 0.4 * math.sin(n) / math.sqrt(n), 2.4 / math.sqrt(n))]
            for name, at in (("first seat", 0.2641), ("last seat", 0.2392))
            for n in grid
        ],
    )
    return Section(
        "seats",
        "Going first",
        "Going first is worth 1.4 points (1.2 to 1.6); inside the margin of 2.5.",
        (
            figure,
            FigureSpec(
                "running",
                "convergence",
                running,
                "The share of the first seat settles at 26.4 % after about 60,000 games and stays inside the margin.",
                "How the estimate settled",
                "The ribbon is a confidence sequence: it is valid at every point, however often one looks.",
                {"null": 0.25, "margin": 0.025, "ylabel": "share"},
            ),
            Text(("Hands move between seats, so that a strong hand counts for no seat.",), tone="note"),
        ),
    )


def _sides(courts: tuple[str, ...]) -> Section:
    strength = {name: 0.018 - 0.009 * i for i, name in enumerate(courts)}
    forest = table(
        "tidy",
        [Column("label", "court"), Column("value", "share", "share"), Column("verdict", "verdict", "verdict")],
        [
            [name, estimate(0.25 + s, 0.0021), "unbalanced" if abs(s) > 0.017 else "balanced"]
            for name, s in strength.items()
        ],
    )
    pairs = table(
        "pairs",
        [Column("row", "plays as"), Column("column", "against"), Column("value", "share", "share")],
        [
            [a, b, estimate(0.5 + (strength[a] - strength[b]) * 1.6, 0.006, 40_020)]
            for a in courts
            for b in courts
            if a != b
        ],
    )
    detail = table(
        "courts",
        [
            Column("court", "Court"),
            Column("share", "Share", "share", "share of the game", bar=True, null=0.25, margin=0.025),
            Column("verdict", "Verdict", "verdict"),
            Column("gap", "Against fair", "points"),
            Column("rounds", "Rounds to win", "number"),
            Column("shifts", "Shifts", "per_1000"),
        ],
        [
            [
                name,
                estimate(0.25 + s, 0.0021, flag="muted" if abs(s) < 0.002 else ""),
                "unbalanced" if abs(s) > 0.017 else "balanced",
                estimate(s, 0.0021),
                estimate(5.2 - 20 * s, 0.03),
                812.4 + 100 * s,
            ]
            for name, s in strength.items()
        ],
        title="Courts",
        note="The share is that of a seat with this court among four.",
    )
    return Section(
        "sides",
        "Courts",
        f"{courts[0]} wins 26.8 %, more than any other; {courts[-1]} wins least.",
        (
            FigureSpec(
                "courts-forest",
                "forest",
                forest,
                f"{courts[0]} wins 1.8 points more than its part and {courts[-1]} 1.8 points less.",
                "Share of each court",
                "Thick lines are 95 % intervals.",
                {"null": 0.25, "margin": 0.017, "order": "value", "xlabel": "share of the game"},
            ),
            FigureSpec(
                "matchups",
                "matrix",
                pairs,
                f"{courts[0]} beats every other court, most of all {courts[-1]} with 55.8 %.",
                "Court against court",
                "A row is the share of that court when both sit at one table.",
                {"null": 0.5},
            ),
            detail,
        ),
    )


def _abilities(courts: tuple[str, ...]) -> Section:
    data = [
        ("Stardust Shift", 0.0412, 0.0012, 812.0, 0.031),
        ("Shift Block", 0.0061, 0.0009, 96.0, 0.044),
        ("Queen override", 0.0002, 0.0004, 0.8, 0.12),
        ("Wild Jokers", 0.0733, 0.0014, 1650.0, 0.052),
        (courts[0], -0.0007, 0.0008, 44.0, -0.011),
    ]
    tidy = table(
        "tidy",
        [
            Column("label", "ability"),
            Column("value", "points lost without it", "points"),
            Column("uses", "uses per 1,000 games", "per_1000"),
            Column("observed", "seen when used", "points"),
        ],
        [[label, Cell(v, v - h, v + h), uses, estimate(seen, 0.003)] for label, v, h, uses, seen in data],
    )
    rows = [
        [label, Cell(v, v - h, v + h, 50_000, flag="rare" if uses < 1 else ""), estimate(seen, 0.003), uses, "agrees"]
        for label, v, h, uses, seen in data
    ]
    detail = table(
        "abilities",
        [
            Column("ability", "Ability"),
            Column("strength", "Strength", "points", "what one entrant loses without it", bar=True, null=0.0),
            Column("observed", "Seen when used", "points", "not caused by the ability"),
            Column("uses", "Uses per 1,000", "per_1000"),
            Column("tiers", "Novices", "verdict", "whether weaker players agree"),
        ],
        rows,
        title="What each ability is worth",
    )
    return Section(
        "abilities",
        "Abilities",
        "Wild Jokers are worth 7.3 points, the Shift 4.1; the override comes up less than once in a thousand games.",
        (
            FigureSpec(
                "ability-strength",
                "ability_bars",
                tidy,
                "Wild Jokers are worth most, 7.3 points; the override is worth nothing that can be seen.",
                "What one player loses without it",
                "Filled dots are caused by the ability; hollow squares also hold what goes together with using it.",
            ),
            detail,
        ),
    )


def _pace() -> Section:
    lengths = table(
        "lengths",
        [Column("x", "rounds", "number"), Column("y", "part of the games", "share")],
        [[k, math.exp(-((k - 6) ** 2) / 6) / 4.34] for k in range(4, 16)],
    )
    reach = table(
        "reach",
        [Column("x", "turn", "number"), Column("series", "contract"), Column("y", "laid down", "share")],
        [
            [k, name, 1 - math.exp(-k / scale)]
            for name, scale in (("S3 R3", 1.9), ("S3 S3", 3.7), ("S4 F4", 8.1))
            for k in range(13)
        ],
    )
    ends = table(
        "ends",
        [Column("label", "players"), Column("part", "end"), Column("value", "part of the games", "share")],
        [
            [f"{n} players", part, Cell(v, n=50_000)]
            for n in (2, 3, 4)
            for part, v in (("won", 0.9 - 0.02 * n), ("replayed tie", 0.08 + 0.02 * n), ("cap", 0.02))
        ],
    )
    return Section(
        "pace",
        "Pace and drama",
        "Half of all games end within 6 rounds, one in a hundred takes more than 12.",
        (
            FigureSpec(
                "length",
                "curve",
                lengths,
                "Games take 4 to 15 rounds, most often 6.",
                "Rounds of a game",
                options={
                    "style": "bars",
                    "xlabel": "rounds",
                    "ylabel": "games",
                    "marks": [{"x": 6, "text": "half of all games"}, {"x": 12, "text": "99 of 100"}],
                },
            ),
            FigureSpec(
                "laying-down",
                "curve",
                reach,
                "The easiest contract is down after 2 turns in half of all rounds, the hardest after 6.",
                "Who has laid down by which turn",
                options={"style": "step", "xlabel": "own turns", "ylabel": "laid down"},
            ),
            FigureSpec(
                "ends",
                "stacked",
                ends,
                "Almost nine of ten games end with one winner; more players, more replayed ties.",
                "How games end",
                options={"xlabel": "part of the games"},
            ),
            Story(
                "typical",
                "A typical game",
                ("Round 1: Summer declares fire.", "Winter goes out."),
                "Deal 17.",
                "evenhand replay celestial-ranks --deal 17",
            ),
        ),
    )


def _tiers() -> Section:
    tidy = table(
        "tidy",
        [Column("label", "headline"), Column("tier", "players"), Column("value", "against fair", "points")],
        [
            [label, tier, estimate(at * (1 - 0.3 * k), 0.002, 20_000)]
            for label, at in (("Going first", 0.0141), ("Summer against fair", 0.018))
            for k, tier in enumerate(TIERS)
        ],
    )
    return Section(
        "confidence",
        "Confidence",
        "Every verdict is the same at every tier of play.",
        (
            FigureSpec(
                "by-tier",
                "tiers",
                tidy,
                "Going first is worth less the better the players are; no verdict flips.",
                "The same headlines at every tier",
                options={"null": 0.0, "margin": 0.025, "unit": "points", "xlabel": "against a fair game"},
            ),
        ),
    )


def sample(courts: tuple[str, ...] = COURTS, variant: str = "default") -> ReportModel:
    """Return the report; the names of courts and variant are the caller's."""
    command = "evenhand report celestial-ranks --seats 4 --games 200000 --seed 18446744073709551615"
    return ReportModel(
        Header(
            title="Celestial Ranks",
            game="celestial-ranks",
            variant=variant,
            sentence=(
                f"Not balanced: {courts[0]} wins 26.8 % of the games where 25 % is fair, and going first is worth "
                "1.4 points, between skilled players."
            ),
            verdict="unbalanced",
            headlines=(
                Headline("first", "Going first", "balanced", estimate(0.0141, 0.0019), margin=0.025, anchor="seats"),
                Headline("sides", "Courts", "unbalanced", estimate(0.018, 0.0021), margin=0.0125, anchor="sides"),
                Headline(
                    "override", "Override", "undecided", Cell(0.0002, None, 0.0031), margin=0.002, anchor="abilities"
                ),
            ),
            facts=Facts(
                200_000, 10_000, 4, "skilled", "18446744073709551615", 0.00097, command, more=(("version", "0.1.0"),)
            ),
            warnings=("Only 20,000 games were played by novices.",),
        ),
        (
            Criterion(
                "sides",
                f"{courts[0]} wins its part",
                "within 1.25 points of 25 %",
                estimate(0.018, 0.0021),
                "unbalanced",
                smallest_margin=0.0201,
                table_gap="about 4,700 table games of four to notice",
                margin=0.0125,
                anchor="sides",
            ),
            Criterion(
                "override",
                "No ability is dead",
                "at least one use in 1,000 games",
                Cell(0.8, 0.6, 1.1, 50_000),
                "undecided",
                "per_1000",
                games_needed=150_000,
                null=1.0,
                anchor="abilities",
            ),
            Criterion(
                "first",
                "Going first",
                "within 2.5 points of fair",
                estimate(0.0141, 0.0019),
                "balanced",
                smallest_margin=0.0158,
                table_gap="about 7,500 table games of four to notice",
                margin=0.025,
                anchor="seats",
            ),
        ),
        (
            Finding(
                f"{courts[0]} has an easier set of contracts than {courts[2]}: pooled, its class gains 3.6 points.",
                estimate(0.036, 0.002),
                command='evenhand compare celestial-ranks --set contracts.summer.fire="S3 S3"',
                anchor="sides",
            ),
            Finding(
                "The queen override decides less than one game in a thousand.",
                Cell(0.8, 0.6, 1.1, 50_000),
                "per_1000",
                "evenhand compare celestial-ranks --set override_needs=all_others_passed",
                "abilities",
            ),
        ),
        (_seats(), _sides(courts), _abilities(courts), _pace(), _tiers()),
        (
            Term("share", "what a seat won of one game; the shares of a game sum to 1"),
            Term("margin", "how far from fair still counts as balanced"),
            Term("block", "all games of one deal within one arm, every entrant in every seat"),
        ),
        Reproduce(
            command,
            '[variant]\nname = "' + variant.replace('"', '\\"') + '"\njokers = 4\n',
            (("evenhand", "0.1.0"), ("numpy", "2.4.6")),
            "5f0c2b7e" * 8,
            (DataFile("games/part-00000.parquet", "ab" * 32, 1_234_567),),
        ),
    )
