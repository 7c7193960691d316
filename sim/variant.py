"""Variants: the switches and numbers of a game, as TOML files and `KEY=VALUE` settings."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sim.errors import UsageError, nearest

Value = bool | int | float | str | tuple[int, ...] | tuple[str, ...]


@dataclass(frozen=True)
class Field:
    """One switch or number of a game.

    Parameters
    ----------
    key
        Its name; dots make TOML tables (``contracts.winter.air``).
    default
        What the seed's text says, or our default reading. Its type is the type of the field.
    doc
        One line for the commented variant file.
    choices
        The allowed words (or numbers), if only these are.
    low, high
        The allowed range of a number, or of each number of a list.
    length
        The exact length of a list, if fixed.
    rule
        The rule id it belongs to (``CR-05``), if any.
    check
        Returns a sentence on what is wrong with a value of the right type, or None.
    """

    key: str
    default: Value
    doc: str
    choices: tuple[Value, ...] = ()
    low: float | None = None
    high: float | None = None
    length: int | None = None
    rule: str = ""
    check: Callable[[Any], str | None] | None = field(default=None, compare=False)

    @property
    def right(self) -> str:
        """What would be a right value, in words."""
        if self.choices:
            return "one of " + ", ".join(_show(choice) for choice in self.choices)
        bounds = "" if self.low is None and self.high is None else f" from {self.low:g} to {self.high:g}"
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, int):
            return f"a whole number{bounds}"
        if isinstance(self.default, float):
            return f"a number{bounds}"
        if isinstance(self.default, tuple):
            kind = "names" if self.default and isinstance(self.default[0], str) else f"whole numbers{bounds}"
            return f"a list of {self.length if self.length is not None else 'any number of'} {kind}"
        return f"a text such as {self.default!r}"

    def _wrong(self, value: Any, where: str) -> UsageError:
        return UsageError(f"{where}: {self.key} = {_show(value)} is not possible; it must be {self.right}.")

    def accept(self, value: Any, where: str) -> Value:
        """Return `value` in the field's own type, or raise UsageError with one sentence."""
        made = self._convert(value)
        if made is None:
            raise self._wrong(value, where)
        numbers = made if isinstance(made, tuple) else (made,)
        for number in numbers:
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
                    raise self._wrong(value, where)
        if self.choices and not isinstance(made, tuple) and made not in self.choices:
            raise self._wrong(value, where)
        if self.length is not None and isinstance(made, tuple) and len(made) != self.length:
            raise self._wrong(value, where)
        if self.check is not None and (sentence := self.check(made)) is not None:
            raise UsageError(f"{where}: {self.key} = {_show(value)}: {sentence}")
        return made

    def _convert(self, value: Any) -> Value | None:
        kind = type(self.default)
        if kind is bool:
            return value if isinstance(value, bool) else None
        if kind is int:
            return value if isinstance(value, int) and not isinstance(value, bool) else None
        if kind is float:
            finite = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300
            return float(value) if finite else None
        if kind is tuple:
            if not isinstance(value, (list, tuple)):
                return None
            item = str if self.default and isinstance(self.default[0], str) else int  # type: ignore[index]
            right = all(isinstance(x, item) and not isinstance(x, bool) for x in value)
            return tuple(value) if right else None
        return value if isinstance(value, str) else None

    def parse(self, text: str, where: str) -> Value:
        """Return the value that `text`, from a command line, stands for."""
        return self.accept(_from_text(text, self.default), where)


def _from_text(text: str, default: Value) -> Any:
    text = text.strip()
    if isinstance(default, str):
        return text
    if isinstance(default, bool):
        return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(
            text.casefold(), text
        )
    if isinstance(default, tuple):
        parts = [part.strip() for part in text.strip("[]").replace(";", ",").split(",") if part.strip()]
        if default and isinstance(default[0], str):
            return parts
        return [_number(part) for part in parts]
    return _number(text)


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(_show(v) for v in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


@dataclass(frozen=True)
class Variant:
    """A resolved setting of all fields of a game.

    Parameters
    ----------
    game
        Name of the game.
    name
        Name of the variant, shown in reports.
    values
        {field key: value} for every field of the game.
    criteria
        The block ``[criteria]`` as it stands in the file.
    """

    game: str
    name: str
    values: Mapping[str, Value]
    criteria: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def group(self, prefix: str) -> dict[str, Value]:
        """Return the fields below a table: ``group("contracts.winter")``."""
        return {k[len(prefix) + 1 :]: v for k, v in self.values.items() if k.startswith(prefix + ".")}

    def changed(self, name: str | None = None, **settings: Value) -> Variant:
        """Return the variant with some fields replaced, unchecked; dots are written as two underscores."""
        made = {key.replace("__", "."): value for key, value in settings.items()}
        return replace(self, values={**self.values, **made}, name=name or self.name)

    @property
    def hash(self) -> str:
        """Eight hex digits over the values (not the name)."""
        text = json.dumps(dict(sorted(self.values.items())), sort_keys=True)
        return hashlib.sha256(f"{self.game}|{text}".encode()).hexdigest()[:8]


def _flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def default_variant(game: str, fields: Sequence[Field]) -> Variant:
    """Return the variant with every field at its default."""
    return Variant(game, "default", {f.key: f.default for f in fields})


def read_variant(base: Variant, fields: Sequence[Field], path: Path, name: str | None = None) -> Variant:
    """Return `base` changed by a TOML file; every error names the file and the field."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not UTF-8 text"
        raise UsageError(f"The variant file {str(path)!r} cannot be read: {reason}.") from error
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"The variant file {str(path)!r} is not TOML: {error}.") from error
    stated = table.pop("game", base.game)
    if stated != base.game:
        raise UsageError(f"The variant file {str(path)!r} is for the game {stated!r}, not for {base.game!r}.")
    title = str(table.pop("name", name or path.stem))
    criteria = table.pop("criteria", {})
    known = {f.key: f for f in fields}
    values = dict(base.values)
    for key, value in _flatten(table):
        if key not in known:
            raise UsageError(f"{path}: {nearest(key, known, 'field')}")
        values[key] = known[key].accept(value, str(path))
    return Variant(base.game, title, values, _check_criteria(criteria, path))


def _check_criteria(criteria: Any, path: Path) -> dict[str, dict[str, float]]:
    made: dict[str, dict[str, float]] = {}
    if not isinstance(criteria, dict):
        raise UsageError(f"{path}: [criteria] must be a table such as court_share = {{ margin = 0.02 }}.")
    for name, rule in _rules_of(criteria):
        if not isinstance(rule, dict) or not all(isinstance(v, (int, float)) for v in rule.values()) or not rule:
            raise UsageError(f"{path}: [criteria] {name} must be a table of numbers such as {{ margin = 0.02 }}.")
        made[name] = {k: float(v) for k, v in rule.items()}
    return made


def _rules_of(criteria: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Give the rules by their dotted names: ``ability.shift = { min = 0.01 }`` is a table inside a table."""
    for name, rule in criteria.items():
        if isinstance(rule, Mapping) and rule and all(isinstance(value, Mapping) for value in rule.values()):
            yield from _rules_of(rule, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", rule


def set_fields(base: Variant, fields: Sequence[Field], settings: Iterable[str]) -> Variant:
    """Return `base` changed by ``KEY=VALUE`` settings; its name becomes the list of what was changed."""
    known = {f.key: f for f in fields}
    values = dict(base.values)
    parts = []
    for setting in settings:
        key, equals, text = setting.partition("=")
        key = key.strip()
        if not equals:
            raise UsageError(f"--set {setting!r} has no '='; write --set {key}=VALUE.")
        if key not in known:
            raise UsageError(f"--set: {nearest(key, known, 'field')}")
        values[key] = known[key].parse(text, "--set")
        parts.append(f"{key}={text.strip()}")
    if not parts:
        return base
    stem = [] if base.name == "default" else [base.name]
    return Variant(base.game, " ".join(stem + parts), values, base.criteria)


def to_toml(variant: Variant, fields: Sequence[Field], title: str) -> str:
    """Return the whole commented variant file; reading it back gives the same variant."""
    lines = [f"# {title}: every switch and number, with what each may be.", f"game = {_show(variant.game)}"]
    lines += [f"name = {_show(variant.name)}", ""]
    plain = [f for f in fields if "." not in f.key]
    tables: dict[str, list[Field]] = {}
    for f in fields:
        if "." in f.key:
            tables.setdefault(f.key.rpartition(".")[0], []).append(f)
    for f in plain:
        lines += [*_comment(f), f"{f.key} = {_show(variant.values[f.key])}", ""]
    for table, members in tables.items():
        lines.append(f"[{'.'.join(_toml_key(part) for part in table.split('.'))}]")
        for f in members:
            if f.doc:
                lines += _comment(f)
            lines.append(f"{_toml_key(f.key.rpartition('.')[2])} = {_show(variant.values[f.key])}")
        lines.append("")
    if variant.criteria:
        lines.append("[criteria]")
        for name, rule in variant.criteria.items():
            lines.append(f"{name} = {{ {', '.join(f'{k} = {v:g}' for k, v in rule.items())} }}")
    return "\n".join(lines).rstrip() + "\n"


def _comment(f: Field) -> list[str]:
    rule = f" ({f.rule})" if f.rule else ""
    return [f"# {f.doc}{rule}", f"# {f.right[0].upper()}{f.right[1:]}."]


def _toml_key(part: str) -> str:
    return part if part.replace("_", "").replace("-", "").isalnum() and part.isascii() else _show(part)
