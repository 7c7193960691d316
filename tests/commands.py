"""The page of all commands and options, `docs/commands.md`, made from the command line: `python -m tests.commands`."""

from __future__ import annotations

from pathlib import Path

import click

import cli

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
HEAD = """# Commands

Every command and every option, as `evenhand COMMAND --help` has them. `make docs` writes this page anew.

Exit codes: 0 done; 1 failed; 2 wrong use; 3 a declared criterion failed; 4 a declared criterion is open; 130 stopped.
What was stopped goes on with the same command.
"""


def page() -> str:
    """Return the page."""
    parts = [HEAD, *(_section(name, cli.main.commands[name]) for name in sorted(cli.main.commands))]
    parts.append(_section("", cli.main))
    return "\n".join(parts)


def _section(name: str, command: click.Command) -> str:
    """Return a command with its table of options."""
    context = click.Context(command, info_name=f"evenhand {name}".strip())
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"## {name or 'evenhand'}", "", f"`{context.info_name} {usage}`", "", _text(command.help), ""]
    rows = [_row(option, context) for option in command.params if isinstance(option, click.Option)]
    if rows:
        lines += ["| option | what it does |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def _text(words: str | None) -> str:
    return " ".join((words or "").replace("\b", "").split())


def _row(option: click.Option, context: click.Context) -> str:
    """Return a row of the table: the words of the option, what it wants, what it does, its default."""
    record = option.get_help_record(context)
    assert record is not None, f"{option.name} is hidden"
    words, does = (_text(part).replace("|", "\\|") for part in record)
    return f"| `{words}` | {does} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
