# SPDX-License-Identifier: Apache-2.0
"""Pages: each page as headless Chromium shows it, wide and narrow, light and dark, with scripts and without.

What has to hold: it asks for nothing but itself; nothing is wider than the window but what scrolls by itself, and a person
sees all of its text; text has a contrast of 4.5 (WCAG 2.2, 1.4.3) on what is behind it; its links lead somewhere.
"""
import contextlib
import itertools
import os
import pathlib
import urllib.parse

from browser import browser
from readers import check, equal, news

WIDTHS = (1280, 400)
SCHEMES = ("light", "dark")
LEAST_CONTRAST = 4.5

# Returns for each visible text its lowest contrast with the colours behind it, and whether it is cut off with no way to scroll.
LOOK = """() => {
  const parse = text => { const part = text.match(/[\\d.]+/g).map(Number); return part.length < 4 ? [...part, 1] : part; };
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = colour => { const part = colour.slice(0, 3).map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2]; };
  const behind = element => { const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    layers.push(matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18, 1] : [255, 255, 255, 1]);
    return layers.reverse().reduce((under, top) => over(top, under)); };
  const low = [], cut = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement, style = getComputedStyle(element), text = node.data.trim();
    const range = document.createRange(); range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (!text || !box.width || style.visibility === 'hidden') continue;
    const svg = element.closest('svg') && !element.closest('foreignObject');
    const ground = behind(element), ink = over(parse(svg ? style.fill : style.color), ground);
    const [dark, bright] = [light(ink), light(ground)].sort((a, b) => a - b);
    const contrast = (bright + 0.05) / (dark + 0.05);
    if (contrast < %s) low.push(contrast.toFixed(2) + ' ' + text.slice(0, 40));
    const scrolls = [...function* () { for (let at = element; at; at = at.parentElement) yield at; }()]
      .some(at => ['auto', 'scroll'].includes(getComputedStyle(at).overflowX));
    if (!scrolls && (box.right > innerWidth + 0.5 || box.left < -0.5)) cut.push(text.slice(0, 60));
  }
  return {low, cut, width: document.documentElement.scrollWidth};
}""" % LEAST_CONTRAST


@contextlib.contextmanager
def chromium():
    """Opens the browser for the duration of the block."""
    from playwright.sync_api import sync_playwright  # Installed only if there is a browser.
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright, contextlib.closing(
            playwright.chromium.launch(executable_path=browser(), args=root)) as opened:
        yield opened


def tabs_of(chromium, page):
    """Yields for each way to view a page: its description, the tab that shows it, the requests of the tab, and its width."""
    for width, scheme, scripts in itertools.product(WIDTHS, SCHEMES, (True, False)):
        with contextlib.closing(chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme,
                                                     java_script_enabled=scripts)) as context:
            tab, asked = context.new_page(), []
            tab.on("request", lambda request: asked.append(request.url))
            tab.goto(page.as_uri())
            yield f"{page.name} {width} px, {scheme}{'' if scripts else ', no scripts'}", tab, asked, width


def look(chromium, page):
    """Checks a page in all ways to view it."""
    for how, tab, asked, width in tabs_of(chromium, page):
        equal(f"{how}: requests", asked, [page.as_uri()])
        for details in tab.locator("details").all():
            details.evaluate("element => element.open = true")
        seen = tab.evaluate(LOOK)
        check(seen["width"] <= width, f"{how}: is {seen['width']} px wide")
        check(not seen["low"], f"{how}: contrast {seen['low'][:3]}")
        check(not seen["cut"], f"{how}: cut off: {seen['cut'][:3]}")
        links_lead_somewhere(page, tab, how)


def links_lead_somewhere(page, tab, how):
    for link in tab.locator("a").evaluate_all("links => links.map(link => link.getAttribute('href'))"):
        if not urllib.parse.urlsplit(link).scheme:
            check((page.parent / urllib.parse.unquote(link)).is_file(), f"{how}: {link} leads nowhere")


def rows_of(findings):
    """Returns the variant and the runs of each finding in the format of a page."""
    return sorted((f"{finding['path']}/{finding['variant']}", f"{finding['runs']:,}".replace(",", " ")) for finding in findings)


def night_page(chromium, made):
    """Checks that the DOM of the nightly run's page agrees with the command's output, with and without scripts."""
    for how, tab, _, _ in tabs_of(chromium, made.file("history/page.html")):
        def texts(title, part):
            heading = tab.get_by_role("heading", name=title, exact=True)
            return tab.locator("section", has=heading).locator(part).all_text_contents()

        def findings(kind):
            columns = [[text for where in ("sound variants", "canaries") for text in texts(f"{kind} in {where}", f"td:nth-child({i})")]
                       for i in (2, 4)]
            return sorted(zip(*columns))

        equal(f"{how}: red", tab.locator(".badge").inner_text() == "red", made.night["red"])
        equal(f"{how}: sentence", tab.locator(".lead").inner_text(), made.night["sentence"])
        equal(f"{how}: news", findings("New"), rows_of(news(made.night)))
        equal(f"{how}: known", findings("Known findings"),
              rows_of(finding for finding in made.night["findings"] if finding["state"] == "known"))
        equal(f"{how}: canaries", texts("Missed canaries", "td:first-child"), made.night["canaries_missed"])
        equal(f"{how}: variants", texts("Variants", "td:first-child"),
              [f"{cell['path']}/{cell['variant']}" for cell in sorted(made.night["cells"], key=lambda cell: cell["canary"])])
        check(texts("Nights", "svg"), f"{how}: no curves")


def case_page(chromium, made):
    """Checks that the page of a case shows its fault, a drawing of its run, and its command."""
    for how, tab, _, _ in tabs_of(chromium, made.file("case.html")):
        equal(f"{how}: fault", tab.locator(".lead").inner_text(), made.case["faults"][0]["words"])
        check(tab.locator("svg.timeline .lane-name").count() >= 3, f"{how}: fewer than three lanes")
        check(tab.locator(".edge.missing").count() > 0, f"{how}: no missing order")
        check(f"afterlife replay {made.case_file}" in tab.locator("main").inner_text(), f"{how}: no command")


def run_pages(chromium, made):
    """Checks that the page of each finding has its signature, rows, decisions, at least one lane, and the command that replays it."""
    for name, found in made.runs.items():
        for finding in found["findings"]:
            file = pathlib.Path(finding["file"])
            page = made.file(f"run-{name}") / file.name.replace(".run.json", ".html")
            for how, tab, _, _ in tabs_of(chromium, page):
                words = tab.locator("main").inner_text()
                equal(f"{how}: signature", tab.locator("h1 .signature").inner_text(), finding["signature"])
                check(file.name in words, f"{how}: no command")
                check(tab.locator("svg.timeline .lane-name").count() > 0, f"{how}: no lane")
                rows = tab.locator("section", has=tab.get_by_role("heading", name="Decisions", exact=True)).locator("tr")
                equal(f"{how}: decisions", max(rows.count() - 1, 0), len(finding["decisions"]))
                check(not finding["fix"] or tab.locator(".card.fix").count() == 1, f"{how}: no repair")


def photograph(pages, folder):
    """Writes a screenshot of each page to a folder, wide and narrow, light and dark."""
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as opened:
        for page in pages:
            for how, tab, _, _ in tabs_of(opened, page):
                if "scripts" not in how:
                    tab.screenshot(path=folder / (how.replace(", ", "-").replace(" ", "-") + ".png"), full_page=True)
