"""The page in a real browser: Debian's Chromium through playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
VIEWS = {
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "telephone": {"viewport": {"width": 360, "height": 740}, "color_scheme": "light"},
    "telephone-dark": {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"},
    "paper": {"viewport": {"width": 718, "height": 1000}, "color_scheme": "dark"},  # A4 without its margins
}

# Text that cannot be seen whole: cut by its own box, or outside the page with nothing to scroll; an SVG's by its frame.
CLIPPED = """() => {
  const found = [], edge = document.documentElement.clientWidth + 1;
  const scrolls = (n) => { for (; n; n = n.parentElement) { const s = getComputedStyle(n);
    if (/auto|scroll/.test(s.overflowX) && n.tabIndex === 0) return true; } return false; };
  for (const n of document.querySelectorAll("body *")) {
    if (n.closest(".hidden, .skip, script, svg") || !n.checkVisibility()) continue;
    const s = getComputedStyle(n), r = n.getBoundingClientRect();
    if (/hidden|clip/.test(s.overflowX) && n.scrollWidth > n.clientWidth + 1) found.push("cut: " + n.textContent);
    if ((r.right > edge || r.left < -1) && r.width && !scrolls(n)) found.push(`out: ${n.tagName} ${n.textContent}`);
  }
  for (const svg of document.querySelectorAll("svg")) {
    if (!svg.checkVisibility()) continue;
    const f = svg.getBoundingClientRect();
    for (const t of svg.querySelectorAll("text")) {
      const r = t.getBoundingClientRect();
      if (r.left < f.left - 4 || r.right > f.right + 4 || r.top < f.top - 4 || r.bottom > f.bottom + 4)
        found.push("svg: " + t.textContent);
    }
  }
  return found.map((t) => t.slice(0, 120));
}"""

# Contrast of every text with what is behind it (WCAG 2), the lowest ones first.
CONTRAST = """() => {
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d", { willReadFrequently: true });
  const rgba = (c) => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = c; pen.fillRect(0, 0, 1, 1);
    const d = pen.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
  const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const ground = (n) => { const stack = [];
    for (; n; n = n.parentElement) stack.push(rgba(getComputedStyle(n).backgroundColor));
    return stack.reverse().reduce((b, a) => over(a, b), [128, 128, 128, 1]); };  // the body has a colour of its own
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => { v /= 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const n = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || n.closest("script, title, .hidden, .skip") || !n.checkVisibility()) continue;
    const s = getComputedStyle(n), inSvg = n.closest("svg") !== null;
    const ink = rgba(inSvg ? s.fill : s.color);
    // Text on a coloured cell has a fixed colour, chosen for that cell: test_figures has its contrast.
    if (inSvg && n.closest("[style*='fill: #']")) continue;
    const back = ground(inSvg ? n.closest("svg").parentElement : n);
    const [a, b] = [light(over(ink, back)), light(back)].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), walk.currentNode.data.trim().slice(0, 60)]);
  }
  return found.sort((x, y) => x[0] - y[0]);
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = shutil.which("chromium")
    if path is None:
        reason = "no Chromium here: the page was not looked at in a browser (apt-get install chromium)"
        print(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield found
        found.close()


class _Visit:
    def __init__(self, browser: Any, folder: Path, view: str, **more: Any) -> None:
        self.context = browser.new_context(**{**VIEWS[view], **more})
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto((folder / "report.html").as_uri())
        if view == "paper":
            self.page.emulate_media(media="print")


@pytest.fixture(params=["plain", "nasty"])
def place(request: pytest.FixtureRequest, folder: Path, nasty_folder: Path) -> Path:
    return folder if request.param == "plain" else nasty_folder


@pytest.mark.parametrize("view", VIEWS)
def test_page_reads_without_overflow_or_clipped_text(browser: Any, place: Path, view: str, tmp_path: Path) -> None:
    visit = _Visit(browser, place, view)
    page = visit.page
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(CLIPPED) == []
    picture = page.screenshot(path=tmp_path / f"{view}.png", full_page=True)
    assert len(picture) > 50_000
    assert visit.complaints == []
    assert visit.requests == [(place / "report.html").as_uri()]
    visit.context.close()


@pytest.mark.parametrize("view", VIEWS)
def test_text_has_contrast(browser: Any, folder: Path, view: str) -> None:
    visit = _Visit(browser, folder, view)
    visit.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    found = visit.page.evaluate(CONTRAST)
    assert len(found) > 300
    assert [t for t in found if t[0] < 4.5] == []
    visit.context.close()


def test_dark_is_dark_and_paper_is_light(browser: Any, folder: Path) -> None:
    grounds = {}
    for view in ("light", "dark", "paper"):
        visit = _Visit(browser, folder, view)
        grounds[view] = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        visit.context.close()
    assert grounds == {"light": "rgb(251, 250, 247)", "dark": "rgb(20, 23, 27)", "paper": "rgb(255, 255, 255)"}


def test_paper_shows_what_is_folded(browser: Any, folder: Path) -> None:
    visit = _Visit(browser, folder, "light")
    page = visit.page
    assert page.locator("details[open]").count() == 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0
    assert page.pdf().startswith(b"%PDF")
    visit.context.close()


def test_tables_are_sorted_by_keyboard(browser: Any, folder: Path) -> None:
    visit = _Visit(browser, folder, "light")
    page = visit.page
    table = page.locator("#b-abilities table")
    column = "#b-abilities tbody tr td:nth-child(2) .num"

    def values() -> list[float]:
        found: list[float] = page.eval_on_selector_all(column, "all => all.map((n) => Number(n.dataset.value))")
        return found

    before = values()
    table.locator("th button").first.focus()
    page.keyboard.press("Tab")
    head = table.locator("thead th").nth(1)
    assert page.evaluate("document.activeElement.closest('th').textContent").startswith("Strength")
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert values() == sorted(before, reverse=True) != before
    page.keyboard.press("Space")
    assert head.get_attribute("aria-sort") == "ascending"
    assert values() == sorted(before)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") is None
    names = table.locator("tbody th").all_inner_texts()
    assert names == sorted(names)
    assert visit.complaints == []
    visit.context.close()


def test_page_reads_without_javascript(browser: Any, folder: Path) -> None:
    visit = _Visit(browser, folder, "light", java_script_enabled=False)
    page = visit.page
    assert page.locator("th button").count() == 0
    assert page.locator("#s-seats svg").first.is_visible()
    page.locator("#s-seats summary").first.click()
    assert page.locator("#s-seats details table").first.is_visible()
    visit.context.close()


def test_one_picture_of_two_is_shown_and_named(browser: Any, folder: Path) -> None:
    for view, shown, hidden in (("light", "wide", "narrow"), ("telephone", "narrow", "wide")):
        visit = _Visit(browser, folder, view)
        page = visit.page
        assert page.locator(f".picture.{shown} svg").first.is_visible()
        assert not page.locator(f".picture.{hidden} svg").first.is_visible()
        assert page.locator("svg:not([aria-label]), img:not([alt])").count() == 0
        assert page.get_by_role("img").count() == page.locator(f".picture.{shown}").count()
        visit.context.close()


def test_skip_link_is_the_first_stop(browser: Any, folder: Path) -> None:
    visit = _Visit(browser, folder, "telephone")
    page = visit.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left >= 0")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    visit.context.close()
