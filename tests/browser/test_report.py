"""The page of `gradual report` in a browser: zoom, search, boxes, keyboard, light and dark, print, a narrow window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gradual.tools.cli import entry
from tests.browser.conftest import needs_chromium
from tests.tools.stacked import stacked

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the extra `browser` is not installed")

PATIENCE = 60_000
"""How long a step may take on a busy machine, in milliseconds."""
SECONDS = 2.0
"""The most processor time until a page of 2,000 nodes is ready."""

pytestmark = [pytest.mark.slow, needs_chromium]

PROGRAM = """def @main(%n: Tensor[(n, 8), float32]) {
  let %half = strided_slice(%n, begin=[0], end=[n], strides=[2], axes=[0]);
  add(%n, repeat(%half, repeats=2, axis=0))
}
def @dense(%x: Tensor[(?, ?), float32], %w: Tensor[(6, 4), float32]) { nn.dense(%x, %w) }
def @other(%x: Tensor[(4, 16), float32]) { negative(exp(%x)) }
"""

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages of a program with an error and a check, of a static function, and of models of 20 to 2,000 nodes."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "wrong.relay").write_text(PROGRAM)
    (folder / "static.relay").write_text(PROGRAM.splitlines()[-1])
    (folder / "few.onnx").write_bytes(stacked(2))
    (folder / "small.onnx").write_bytes(stacked(10))
    (folder / "large.onnx").write_bytes(stacked(200))
    found = {}
    for path in sorted(folder.iterdir()):
        found[path.stem] = path.with_suffix(".html")
        assert entry(["report", str(path), "-o", str(found[path.stem])]) == (path.stem == "wrong")
    return found


@pytest.fixture
def opened(chromium: Any, pages: dict[str, Path]) -> Iterator[Open]:
    """Opens a page; at the end, none had an error or asked for anything but itself."""
    contexts, troubles = [], []

    def open_page(name: str, width: int = 1200, scheme: str = "light", scripts: bool = True) -> Any:
        size = {"width": width, "height": 900}
        context = chromium.new_context(viewport=size, color_scheme=scheme, java_script_enabled=scripts)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        address = pages[name].as_uri()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith(address) else troubles.append(asked.url))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


def drawn(page: Any) -> int:
    """How many parts of graphs are drawn."""
    return int(page.locator(".canvas .part").count())


# ------------------------------------------------------------------------------------------------------------ the graph
def test_a_box_opens_and_closes_by_a_click_and_by_the_keyboard(opened: Open) -> None:
    page = opened("small")
    shown = drawn(page)
    layer = page.get_by_role("button", name="layer3")
    layer.click()
    assert layer.get_attribute("aria-expanded") == "true" and drawn(page) > shown
    block = page.get_by_role("button", name="block1").first
    block.focus()
    page.keyboard.press("Enter")
    assert page.locator(".canvas .part", has_text="2: Tanh").count() >= 1
    layer.focus()
    page.keyboard.press(" ")
    assert layer.get_attribute("aria-expanded") == "false" and drawn(page) == shown
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("layer3, 10 nodes")


def test_open_boxes_do_not_overlap_and_edges_end_at_their_parts(opened: Open) -> None:
    page = opened("small")
    page.click("[data-do=open]")
    wrong = page.evaluate("""() => {
      const wrong = [], apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1
        || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
      for (const inside of document.querySelectorAll(".canvas .inside")) {
        const parts = [...inside.querySelectorAll(":scope > .part")];
        const boxes = parts.map((part) => part.querySelector("rect").getBoundingClientRect());
        boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => { if (!apart(a, b)) wrong.push("overlap"); }));
        for (const edge of inside.querySelectorAll(":scope > .edge")) {
          const [upper, lower] = edge.dataset.ends.split(" ").map((k) => boxes[k]);
          const matrix = edge.getScreenCTM(), length = edge.getTotalLength();
          const [from, to] = [0, length].map((at) => edge.getPointAtLength(at).matrixTransform(matrix));
          if (Math.abs(from.y - upper.bottom) > 2 || Math.abs(to.y - lower.top) > 2) wrong.push("height of an end");
          if (from.x < upper.left || from.x > upper.right) wrong.push("upper end");
          if (to.x < lower.left - 1 || to.x > lower.right + 1) wrong.push("lower end");
        }
      }
      return wrong;
    }""")
    assert wrong == [] and drawn(page) > 100
    page.click("[data-do=close]")
    assert drawn(page) < 30


def test_zoom_by_buttons_keys_and_wheel(opened: Open) -> None:
    page = opened("small")

    def width() -> float:
        return float(page.locator(".canvas > svg").get_attribute("width"))

    first = width()
    page.click("[data-do=larger]")
    assert width() == pytest.approx(1.2 * first)
    page.locator(".canvas").focus()
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert width() == pytest.approx(first / 1.2)
    page.keyboard.press("0")
    assert width() <= page.locator(".canvas").bounding_box()["width"] + 1
    page.locator(".canvas").hover()
    page.keyboard.down("Control")
    before = width()
    page.mouse.wheel(0, -100)
    page.wait_for_function(f"Number(document.querySelector('.canvas > svg').getAttribute('width')) > {before}")


def test_search_opens_the_boxes_around_what_it_finds(opened: Open) -> None:
    page = opened("small")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("layer7 tanh")
    assert page.inner_text("#hits") == "2 found"
    page.keyboard.press("Enter")
    hit = page.locator(".hit")
    assert page.inner_text("#hits") == "1 of 2" and "/layer7/block0/2/Tanh" in hit.text_content()
    inside, around = hit.bounding_box(), page.locator(".canvas").bounding_box()
    assert around["x"] <= inside["x"] <= around["x"] + around["width"]
    assert around["y"] <= inside["y"] <= around["y"] + around["height"]
    page.keyboard.press("Enter")
    assert page.inner_text("#hits") == "2 of 2" and "/layer7/block1/2/Tanh" in hit.text_content()
    page.keyboard.press("Shift+Enter")
    assert "block0" in hit.text_content()
    page.fill("#search", "nothing like this")
    assert page.inner_text("#hits") == "0 found" and hit.count() == 0


def test_a_node_leads_to_its_line(opened: Open) -> None:
    page = opened("wrong")
    page.locator(".canvas a", has_text="E0302").first.click()
    assert page.url.endswith("#L3") and page.locator("#L3").is_visible()


# ------------------------------------------------------------------------------------------------------------- the page
@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [("wrong", 1200, "light"), ("wrong", 390, "dark"), ("static", 390, "light"), ("few", 1200, "dark")],
)
def test_no_serious_fault_of_accessibility(opened: Open, name: str, width: int, scheme: str) -> None:
    page = opened(name, width, scheme)
    page.click("[data-do=open]")
    found = axe.Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in serious] == []


def test_the_switch_changes_light_to_dark_and_back(opened: Open) -> None:
    page = opened("wrong", scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.click("#theme")
    light = page.evaluate(ground)
    assert (dark, light) == ("rgb(20, 23, 27)", "rgb(255, 255, 255)")
    page.click("#theme")
    assert page.evaluate(ground) == dark


def test_a_narrow_window_scrolls_only_down(opened: Open) -> None:
    for name in ("wrong", "static", "small"):
        page = opened(name, 390)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name


def test_print_is_black_on_white_and_has_all_details(opened: Open) -> None:
    page = opened("wrong", scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".tools").is_visible() and not page.locator("#theme").is_visible()
    assert page.locator("details:not([open])").count() == 0
    assert page.locator("#L6").is_visible()


def test_the_page_is_read_without_scripts(opened: Open) -> None:
    page = opened("wrong", scripts=False)
    for place, text in (
        (".finding", "counterexample"),
        (".cause", "◇ c1:"),
        (".mark", "✗ E0302"),
        (".fact", "%half :"),
    ):
        assert page.locator(place, has_text=text).first.is_visible(), text
    assert page.locator(".canvas .part").first.is_visible() and not page.locator(".tools").is_visible()


def test_focus_is_visible_and_follows_the_text(opened: Open) -> None:
    page = opened("wrong")
    seen = []
    for _ in range(12):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate("""() => { const one = document.activeElement;
          const style = getComputedStyle(one), rect = one.querySelector("rect");
          return [one.getBoundingClientRect().top + scrollY,
            style.outlineStyle !== "none" || (rect !== null && getComputedStyle(rect).strokeWidth === "4px")]; }""")
        )
    assert all(visible for _, visible in seen)
    tops = [top for top, _ in seen[1:]]
    assert tops == sorted(tops)


def test_a_page_of_two_thousand_nodes_is_ready_soon(opened: Open, tell: Callable[[str], None]) -> None:
    page = opened("large")
    page.wait_for_selector("html[data-ready]")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.reload()
    page.wait_for_selector("html[data-ready]")
    taken = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    assert drawn(page) < 60
    assert taken["TaskDuration"] < SECONDS, taken
    tell(f"a page of 2,000 nodes is ready after {taken['TaskDuration']:.2f} s of processor time")
