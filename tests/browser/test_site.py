"""The site in a browser: the landing page and the playground, in both palettes, wide and narrow, by keyboard.

The site that `make docs` has built is served from this machine; a page that asks for anything elsewhere fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from tests.browser.conftest import needs_chromium
from tests.material import ROOT

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the extra `browser` is not installed")

SITE = ROOT / "site"
PYTHON = SITE / "assets" / "playground" / "pyodide" / "pyodide.mjs"
PATIENCE = 180_000
"""How long the first check may take on a busy machine, in milliseconds."""

pytestmark = [
    pytest.mark.slow,
    needs_chromium,
    pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="no site: `make docs` builds it"),
]
needs_python = pytest.mark.skipif(not PYTHON.is_file(), reason="the site was built without Pyodide, which needs npm")

Open = Callable[..., Any]


class Files(SimpleHTTPRequestHandler):
    """Serves the site, silently."""

    def log_message(self, *arguments: Any) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of the site on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(SITE))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def opened(chromium: Any, address: str) -> Iterator[Open]:
    """Opens a page of the site; at the end, no page had an error or asked for anything from elsewhere."""
    contexts, troubles = [], []

    def open_page(place: str, width: int = 1280, scheme: str = "light") -> Any:
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda asked: None if _is_here(asked.url, address) else troubles.append(asked.url))
        page.goto(address + place)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


def _is_here(url: str, address: str) -> bool:
    return url.startswith((address, "data:", "blob:"))


@pytest.fixture(scope="module")
def playground(chromium: Any, address: str) -> Iterator[Any]:
    """The playground after its first answer, shared by tests that leave any program in it."""
    page = chromium.new_page()
    page.goto(f"{address}playground/")
    answer(page)
    yield page
    page.close()


def answer(page: Any) -> str:
    """The report of the check that is running."""
    page.wait_for_function(
        "document.getElementById('playground-status').textContent.startsWith('Checked')", timeout=PATIENCE
    )
    return str(page.inner_text("#playground-report"))


def write(page: Any, program: str) -> None:
    """Write a program as by keyboard, and check it as by keyboard."""
    page.fill("#playground-program", program)
    page.evaluate("document.getElementById('playground-status').textContent = ''")
    page.press("#playground-program", "Control+Enter")


def serious(page: Any) -> list[str]:
    """The serious faults of a page for people with disabilities, as axe-core finds them."""
    found = axe.Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in ("serious", "critical")]


# ------------------------------------------------------------------------------------------------------------ the pages
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", ["", "playground/", "reference/operators/linear/", "reference/codes/E0302/"])
def test_a_page_has_no_serious_fault(opened: Open, place: str, scheme: str) -> None:
    page = opened(place, scheme=scheme)
    palette = page.evaluate("document.body.dataset.mdColorScheme")
    assert palette == {"light": "default", "dark": "slate"}[scheme]
    assert serious(page) == []


@pytest.mark.parametrize("place", ["", "playground/"])
def test_a_narrow_page_does_not_scroll_sideways(opened: Open, place: str) -> None:
    page = opened(place, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_landing_page_shows_the_error_and_leads_to_the_playground(opened: Open) -> None:
    page = opened("")
    assert "counterexample: n = 3" in page.inner_text("article")
    page.click("article >> text=The playground")
    page.wait_for_url("**/playground/**")
    assert page.is_visible("#playground-program")


def test_the_palette_is_switched_and_kept(opened: Open) -> None:
    page = opened("")
    page.click("label[title='Switch to light colours']")
    page.click("label[title='Switch to dark colours']")
    page.reload()
    assert page.evaluate("document.body.dataset.mdColorScheme") == "slate"


def test_search_finds_a_code_without_a_network(opened: Open) -> None:
    page = opened("")
    page.fill("input[name=query]", "E0302")
    page.wait_for_selector(".md-search-result__item a[href*=E0302]")


# ------------------------------------------------------------------------------------------------------- the playground
@needs_python
def test_the_first_program_is_checked_when_the_playground_opens(playground: Any) -> None:
    assert "residual check c1: dim(%x, 1) == 784" in answer(playground)


@needs_python
def test_a_program_is_checked_by_keyboard_and_its_lines_are_marked(playground: Any) -> None:
    write(playground, "// A comment.\ndef @f(%x: Tensor[(2, 3), float32], %y: Tensor[(4,), float32]) { add(%x, %y) }\n")
    assert "error[E0301]: shapes do not broadcast together: 3 is not 4" in answer(playground)
    assert playground.inner_text("#playground-numbers .report-error").split() == ["✗", "2"]


@needs_python
def test_a_link_has_the_program(playground: Any, opened: Open, address: str) -> None:
    program = "def @é(%x: Tensor[(n, 7), float32]) { nn.relu(%x) } // ✓ <b>\n"
    write(playground, program)
    answer(playground)
    playground.wait_for_function("location.hash.startsWith('#p=')")
    page = opened(playground.url.removeprefix(address))
    page.wait_for_function("document.getElementById('playground-program').value !== ''")
    assert page.input_value("#playground-program") == program


def test_a_damaged_link_is_said_to_be_damaged(opened: Open) -> None:
    page = opened("playground/#p=AAAA")
    page.wait_for_function("document.getElementById('playground-program').value !== ''")
    assert page.input_value("#playground-program").startswith("// The last layer")


@needs_python
def test_an_example_is_chosen(playground: Any) -> None:
    playground.evaluate("document.getElementById('playground-status').textContent = ''")
    playground.select_option("#playground-example", "skip.relay")
    assert "counterexample: n = 3" in answer(playground)


def test_a_program_of_a_page_opens_in_the_playground(opened: Open) -> None:
    page = opened("")
    page.hover(".language-relay")
    page.click(".language-relay .try-it")
    page.wait_for_function("document.getElementById('playground-program')?.value.includes('@skip')")


@needs_python
def test_a_check_is_stopped_and_another_one_started(playground: Any) -> None:
    playground.click("#playground-check")
    if playground.inner_text("#playground-check") == "Stop":
        playground.click("#playground-check")
    write(playground, "def @f() { 1 }")
    assert "@f : fn () -> int32" in answer(playground)


def test_without_python_the_playground_says_so(opened: Open) -> None:
    page = opened("")
    page.route("**/pyodide/**", lambda route: route.fulfill(status=404))
    page.goto(page.url + "playground/")
    page.wait_for_function("document.getElementById('playground-status').textContent === 'The checker could not run.'")
