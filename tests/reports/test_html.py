from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from reports.html import index, render
from reports.model import ReportModel, to_json
from reports.notebook import show
from tests.reports.page import Node, parse
from tests.reports.sample import NASTY


@pytest.fixture(scope="module")
def html(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(html: str) -> Node:
    return parse(html)


@pytest.fixture(scope="module")
def nasty_page(nasty_folder: Path) -> Node:
    return parse((nasty_folder / "report.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def alone(model: ReportModel) -> str:
    """The page as it stands in a notebook."""
    return render(model, links=False)


def _outside(node: Node) -> list[str]:
    """Addresses that are not a place in the page or a file of the run folder."""
    found = [n.attrs[a] for n in node.all() for a in ("src", "href", "xlink:href", "action", "data") if a in n.attrs]
    return [a for a in found if not re.fullmatch(r"#[\w.-]+|(tables/|figures/)?[\w-]+\.(csv|png|json)", a)]


def test_nothing_comes_from_outside(html: str, page: Node, nasty_page: Node) -> None:
    assert _outside(page) == _outside(nasty_page) == []
    assert not re.search(r"@import|url\((?!#)", html)
    assert not page.find("link", "iframe", "object", "embed", "base", "form")
    policy = next(m.attrs["content"] for m in page.find("meta") if "http-equiv" in m.attrs)
    assert policy.startswith("default-src 'none'")
    assert [s.attrs for s in page.find("script")] == [{}]


def test_ids_are_unique_and_every_link_has_its_place(page: Node, nasty_page: Node) -> None:
    for root in (page, nasty_page):
        ids = [n.attrs["id"] for n in root.all() if "id" in n.attrs]
        assert len(ids) == len(set(ids))
        wanted = {n.attrs["href"][1:] for n in root.all() if n.attrs.get("href", "").startswith("#")}
        styles = [n.attrs.get(a, "") for n in root.all() for a in ("style", "clip-path", "fill")]
        wanted |= set(re.findall(r"url\(#([^)]*)\)", " ".join(styles)))
        assert wanted <= set(ids)


def test_linked_files_are_there(page: Node, nasty_page: Node, folder: Path, nasty_folder: Path) -> None:
    for root, place in ((page, folder), (nasty_page, nasty_folder)):
        links = [n.attrs["href"] for n in root.find("a") if not n.attrs["href"].startswith("#")]
        assert len(links) > 15
        assert all((place / link).is_file() for link in links)


def test_every_picture_says_what_it_shows(page: Node, model: ReportModel) -> None:
    pictures = page.find("svg")
    assert len(pictures) == 2 * len(model.figures())
    alts = [f.alt for f in model.figures() for _ in range(2)]
    for svg, alt in zip(pictures, alts, strict=True):
        assert svg.attrs["role"] == "img"
        assert svg.attrs["aria-label"] == alt
        assert svg.children[0].tag == "title"
        assert svg.children[0].text() == alt
    assert all(n.attrs.get("alt") for n in page.find("img"))


def test_headings_are_nested_and_the_page_has_landmarks(page: Node) -> None:
    levels = [int(n.tag[1]) for n in page.find("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    assert [len(page.find(t)) for t in ("main", "header", "footer", "nav", "title")][:4] == [1, 1, 1, 1]
    assert page.find("html")[0].attrs["lang"] == "en"
    first = page.find("a")[0]
    assert first.attrs["href"] == "#main"


def test_tables_have_captions_and_scopes(page: Node) -> None:
    assert page.find("table")
    for table in page.find("table"):
        assert table.find("caption")[0].text().strip()
        assert all(th.attrs.get("scope") in ("col", "row") for th in table.find("th"))
        heads = len(table.find("thead")[0].find("th"))
        assert all(len(row.children) == heads for row in table.find("tr"))


def _at(data: Any, pointer: str) -> Any:
    for part in pointer.strip("/").split("/"):
        data = data[int(part)] if isinstance(data, list) else data[part]
    return data


def _numbers(data: Any) -> int:
    """Count the cells with a number among the tables of a section."""
    if isinstance(data, dict) and {"value", "low", "high", "n", "flag"} <= set(data):
        return int(any(isinstance(data[k], int | float) for k in ("value", "low", "high", "n")))
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else []
    return sum(_numbers(part) for part in parts)


def test_every_number_equals_the_summary(page: Node, folder: Path) -> None:
    summary = json.loads((folder / "summary.json").read_text(encoding="ascii"))
    shown: dict[str, Node] = {}
    for node in page.all():
        if "data-path" in node.attrs:
            assert node.attrs["data-path"] not in shown
            shown[node.attrs["data-path"]] = node
    for path, node in shown.items():
        held = _at(summary, path)
        cell = held if isinstance(held, dict) else {"value": held}
        for name in ("value", "low", "high", "n"):
            number = cell.get(name)
            wanted = json.dumps(number) if isinstance(number, int | float) else None
            assert node.attrs.get(f"data-{name}") == wanted, (path, name)
    cells = {p for p in shown if isinstance(_at(summary, p), dict)}
    everything = {k: summary[k] for k in ("header", "scorecard", "findings", "sections")}
    assert len(cells) == _numbers(everything)
    assert len(cells) > 150


def test_visible_numbers_are_their_values_rounded(page: Node) -> None:
    checked = 0
    for node in page.all():
        if node.attrs.get("class") != "num" or "data-value" not in node.attrs:
            continue
        text = node.text().replace("−", "-").replace("±", "").replace(",", "").lstrip("+")
        found = re.match(r"-?\d+(\.(\d+))?", text)
        assert found, text
        value, digits = float(node.attrs["data-value"]), len(found[2] or "")
        scaled = [value, value * 100]
        assert any(abs(float(found[0]) - v) <= 0.5 * 10**-digits + 1e-9 for v in scaled), (text, value)
        checked += 1
    assert checked > 150


def test_seed_keeps_its_digits_everywhere(html: str, folder: Path) -> None:
    assert html.count("18446744073709551615") >= 3
    assert '"seed": "18446744073709551615"' in (folder / "summary.json").read_text()


def test_page_is_small(folder: Path) -> None:
    assert (folder / "report.html").stat().st_size < 2_000_000


def test_names_are_text_everywhere(nasty_page: Node, page: Node) -> None:
    assert len(nasty_page.find("script")) == 1
    assert not nasty_page.find("img")
    assert [n.tag for n in nasty_page.all()].count("b") == 0
    assert {n.tag for n in nasty_page.all()} == {n.tag for n in page.all()}
    texts = nasty_page.text()
    for name in NASTY:
        assert texts.count(name.strip()) > 4, name
    assert NASTY[0] in nasty_page.find("header")[0].text()


def test_names_are_text_in_pictures(nasty_page: Node) -> None:
    said = [t.text() for svg in nasty_page.find("svg") for t in svg.find("text")]
    for name in NASTY:
        assert any(name.strip() == t for t in said), name


def test_page_without_neighbours_has_no_links_to_them(alone: str) -> None:
    root = parse(alone)
    assert all(n.attrs["href"].startswith("#") for n in root.find("a"))


def test_undefined_names_in_templates_are_errors(model: ReportModel) -> None:
    import jinja2

    from reports.html import _environment

    with pytest.raises(jinja2.UndefinedError):
        _environment().from_string("{{ nothing }}").render()


def test_sorting_script_is_short() -> None:
    script = Path(__file__).parents[2] / "reports" / "templates" / "sort.js"
    assert len(script.read_text().splitlines()) <= 60


def test_empty_report_still_reads(model: ReportModel) -> None:
    import dataclasses

    bare = dataclasses.replace(
        model,
        scorecard=(),
        findings=(),
        sections=(),
        glossary=(),
        header=dataclasses.replace(model.header, headlines=(), warnings=()),
    )
    root = parse(render(bare))
    assert [n.text() for n in root.find("h2")] == ["Reproduce"]


def test_index_lists_reports(model: ReportModel, nasty: ReportModel) -> None:
    root = parse(index([("a/report.html", model), ("b/report.html", nasty)]))
    assert [a.attrs["href"] for a in root.find("a")] == ["a/report.html", "b/report.html"]
    assert not root.find("script", "img")
    assert NASTY[0] in root.text()


def test_show_puts_the_page_in_a_frame(model: ReportModel, folder: Path, alone: str) -> None:
    frame = parse(show(folder)._repr_html_()).find("iframe")[0]
    assert frame.attrs["sandbox"] == "allow-scripts"
    assert frame.attrs["srcdoc"] == alone
    assert to_json(model)["header"]["title"] in frame.attrs["title"]
