"""What verdicts are worth, measured: `python -m tests.check.verdicts [--quick]`.

Coverage, watching, sequential equivalence, true nulls, bias of the control variate; every figure is printed, and the
check fails where one of the promises of the design is broken.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from analysis import sequences
from analysis.verdicts import fixed_size
from tests.analysis import generate, nulls
from tests.analysis import test_intervals as cover
from tests.analysis import test_sequences as watch

NULL_LOW, NULL_HIGH = 0.033, 0.07
Failures = Iterator[str]


def coverage(scale: float) -> Failures:
    """Cover shares and rare differences at every setting of the generating model."""
    rng = np.random.default_rng(13)
    size, found = max(400, round(10_000 * scale)), {}
    for setting in cover.share_settings((2, 3, 4, 5), (0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)):
        for n in (30, 300, 10_000):
            found[(*setting, n)] = cover.coverage(*generate.population(*setting), n, size, rng, 0.0, 1.0)
    for rate in (0.0002, 0.001):
        for pattern in cover.RARE:
            for n in (30, 300, 2000, 10_000):
                found[(rate, pattern, n)] = cover.coverage(
                    *cover.rare_population(rate, pattern), n, size, rng, -1.0, 1.0
                )
    usual = {key: c for key, c in found.items() if len(key) == 4}
    for n in (30, 300, 10_000):
        at = [c for key, c in usual.items() if key[-1] == n]
        print(f"  {len(at)} settings of shares at {n:,} blocks: lowest {min(at):.4f}, mean {np.mean(at):.4f}")
    rare = [c for key, c in found.items() if len(key) == 3]
    print(f"  {len(rare)} settings of rare differences: lowest {min(rare):.4f}, mean {np.mean(rare):.4f}")
    for key, c in sorted(found.items(), key=lambda item: item[1])[:4]:
        print(f"  lowest: {c:.4f} at {key}")
    for seats in (2, 3, 4, 5):
        games = generate.shares(seats, 0.0, False, rng, 20_000)[0]
        cov = np.cov(games.T)
        rho = (cov.sum() - np.trace(cov)) / (len(cov) - 1) / np.trace(cov)
        print(f"  {seats} seats: correlation of an entrant's shares within a block {rho:+.3f}")
    bad = {key: c for key, c in found.items() if cover.too_low(c, size)}
    if bad:
        yield f"coverage is too low at {bad}"
    if min(np.mean(list(usual.values())), np.mean(list(found.values()))) < 0.945:
        yield "mean coverage is below .945"


def watching(scale: float) -> Failures:
    """Look 120 times at a fair game."""
    runs = max(500, round(10_000 * scale))
    naive, ours = watch.watch_coverage(runs, np.random.default_rng(4))
    print(f"  120 looks, {runs:,} runs: the usual interval misses in {naive:.4f} of them, the sequence in {ours:.4f}")
    if naive <= 0.30 or ours > 0.05:
        yield "watching: the usual interval must fail in more than 30 %, the sequence in at most 5 %"


def equivalence(scale: float) -> Failures:
    """Prove balance sequentially, against the fixed design of two one-sided tests."""
    rounds = max(1, round(8 * scale))
    for margin in (0.02, 0.01):
        rng = np.random.default_rng(5)
        at_null = np.concatenate([watch.equivalence(0.0, margin, 4, 500, rng) for _ in range(rounds)])
        on_margin = np.concatenate([watch.equivalence(margin, margin, 10, 500, rng) for _ in range(rounds)])
        done = np.isfinite(at_null)
        counted = np.where(done, at_null, 4.0)
        wrong = np.isfinite(on_margin).mean()
        print(
            f"  margin {100 * margin:g} points, truth 0, {len(at_null):,} runs: proved {done.mean():.4f}, median "
            f"{np.median(at_null):.3f}, mean {counted.mean():.3f}, 95 % by {np.quantile(counted, 0.95):.2f} fixed sizes"
        )
        print(f"  margin {100 * margin:g} points, truth on it, horizon 10: proved {wrong:.4f}")
        if done.mean() < 0.95 or np.median(at_null) > 1.1 or counted.mean() > 1.3:
            yield f"sequential equivalence at margin {margin} costs too much"
        if wrong > 0.05 + 2 * np.sqrt(0.05 * 0.95 / len(on_margin)):
            yield f"balance on the margin {margin} is proved too often"


def joint_times(sides: int, part: float, runs: int, horizon: int, rng: np.random.Generator) -> np.ndarray:
    """First look, in fixed sizes of one contrast, at which all sides are proved inside; infinite if never.

    Games of `sides` seats, `sides` games a block; one side stands `part` of the margin above fair, one as far below.
    """
    null, margin = 1 / sides, 0.1 / sides
    chances = np.full(sides, null)
    chances[0] += part * margin
    chances[-1] -= part * margin
    size = fixed_size(variance=null * (1 - null) / sides, margin=margin)
    step = max(1, round(size / 20))
    looks = 20 * horizon
    n = step * np.arange(1, looks + 1)[:, None]
    judged = 1 if sides == 2 else sides  # two sides say the same thing twice
    made = np.full(runs, np.inf)
    for i in range(runs):
        wins = rng.multinomial(step * sides, chances, size=looks).cumsum(axis=0)[:, :judged]
        mean = wins / (n * sides)
        variance = sequences.steady_variance(n, mean * (1 - mean) / sides, extra=0.25)
        head_start = sequences.HEAD_START * (1.960 + 1.960) ** 2 * variance[:1] / margin**2
        radius = sequences.two_sided_radius(n, variance, head_start=head_start)
        proved = np.abs(mean - null) + radius < margin
        if proved.any(axis=0).all():  # what was proved of one stays proved
            made[i] = n[proved.argmax(axis=0).max(), 0] / size
    return made


def joint(scale: float) -> Failures:
    """Print, without a bound, what a joint verdict costs."""
    rng = np.random.default_rng(6)
    runs = max(40, round(400 * scale))
    for sides in (2, 4, 5, 11):
        for part, horizon in ((0.0, 10), (0.5, 20), (0.8, 100)):
            at = joint_times(sides, part, runs, horizon, rng)
            median = f"{np.median(at):.2f}" if np.isfinite(np.median(at)) else f"more than {horizon}"
            print(
                f"  {sides:2d} sides, truth at {part:g} of the margin, {runs} runs: all proved inside in "
                f"{np.isfinite(at).mean():.3f} by {horizon} fixed sizes of one, median {median}"
            )
    yield from ()


def true_nulls(scale: float) -> Failures:
    """Test at 5 % what is truly equal."""
    runs = max(200, round(1000 * scale))
    game = "fox-in-the-forest"
    values = nulls.equal_players(runs * 200, game=game, policies="novice")
    apart = nulls.disjoint_deals(values[:, 0].reshape(runs, 200))
    print(f"  identical arms on disjoint deals, {game}, {runs:,} experiments: rejected {apart:.4f}")
    yield from _near_five("disjoint deals", runs, apart)
    fresh = nulls.equal_players(runs * 200, game=game, policies="novice", seed=2)[:, 2]
    labelled = nulls.random_labels(fresh, np.random.default_rng(1)).reshape(runs, 200)
    end, on_the_way = nulls.rejected(labelled, null=0.5, low=0.0, high=1.0)
    print(f"  labels drawn at random per block, {game}: rejected {end:.4f}, anywhere along the way {on_the_way:.4f}")
    yield from _near_five("random labels", runs, end, on_the_way)
    twins, rarity = nulls.twin_courts(runs * 200)
    end, on_the_way = nulls.rejected(twins.reshape(runs, 200), null=0.0, low=-rarity, high=rarity)
    print(f"  twin courts at random seatings: rejected {end:.4f}, anywhere along the way {on_the_way:.4f}")
    yield from _near_five("twin courts", runs, end, on_the_way)


def _near_five(what: str, runs: int, end: float, on_the_way: float = 0.0) -> Failures:
    # The bounds are for a thousand experiments; fewer are judged by their own error.
    slack = 0.0 if runs >= 1000 else 3 * np.sqrt(0.05 * 0.95 / runs) - 0.02
    if not NULL_LOW - slack <= end <= NULL_HIGH + slack:
        yield f"{what}: a 5 % test rejects a true null in {100 * end:.1f} %"
    if on_the_way > NULL_HIGH + slack:
        yield f"{what}: rejected somewhere along the way in {100 * on_the_way:.1f} %"


def control(scale: float) -> Failures:
    """Measure the bias of the control variate where the truth is known."""
    runs = 2000
    bias, claimed, ratio = nulls.luck_bias(runs, 30)
    print(
        f"  control variate, {runs:,} runs of 30 blocks: bias {bias:+.3f} standard errors, error claimed {claimed:.3f} "
        f"of the true one, variance ratio {ratio:.2f}"
    )
    if abs(bias) >= 0.1:
        yield f"the control variate moves a true difference by {bias:.2f} standard errors"


CHECKS: tuple[Callable[[float], Failures], ...] = (
    coverage, watching, equivalence, joint, true_nulls, control,
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 when every promise holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.check.verdicts", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the size; the figures are rough then")
    parser.add_argument("--only", choices=[c.__name__ for c in CHECKS], help="one of the checks")
    chosen = parser.parse_args(arguments)
    failures: list[str] = []
    for check in CHECKS:
        if chosen.only in (None, check.__name__):
            began = time.monotonic()
            print(f"{check.__name__}: {(check.__doc__ or '').strip()}", flush=True)
            failures += check(0.1 if chosen.quick else 1.0)
            print(f"  {time.monotonic() - began:.0f} s", flush=True)
    for failure in failures:
        print(f"broken: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
