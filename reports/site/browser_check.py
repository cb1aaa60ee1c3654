"""Opens every page of a site in headless Chromium, and says what is wrong there.

    ./bazelw run //reports/site:browser_check -- site                              1280 and 390 px, light and dark
    ./bazelw run //reports/site:browser_check -- site --screenshots=FOLDER --pages=index.html,cases.html

Wrong is a script that fails, an address outside the folder that is loaded, a page that scrolls sideways, and a dialog.
It needs a Chromium, which the build does not have: no test runs it. Exit status: 0, 1 where something is wrong.
"""

import argparse
import os
import sys
import urllib.parse

from command_line.user_paths import user_path
from reports import command
from reports.site.browser import Browser

WIDTHS = (1280, 390)
# What overflows the window: in words, the deepest elements that do.
_WIDE = """(() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return "";
  const wide = [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > width + 1 &&
    !e.closest(".scroll, .panel, pre"));
  return `${document.documentElement.scrollWidth} px: ` +
    wide.slice(0, 3).map(e => `<${e.tagName.toLowerCase()} class="${e.className}">`).join(" ");
})()"""


def problems(browser, folder, path):
    """Lines that say what is wrong with a page of the site, at the width that is set."""
    start = "file://" + urllib.parse.quote(os.path.abspath(folder)) + "/"
    browser.go(start + urllib.parse.quote(path))
    found = [line for event in browser.events for line in _of_event(event, start)]
    if wide := browser.value(_WIDE):
        found.append(f"scrolls sideways, {wide}")
    return found


def _of_event(event, start):
    method, parameters = event
    if method == "Runtime.exceptionThrown":
        yield f"a script failed: {parameters['exceptionDetails']['text']}"
    if method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
        yield f"an error: {parameters['entry']['text']}"
    if method == "Page.javascriptDialogOpening":
        yield f"a dialog: {parameters['message']}"
    if method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith(start):
        yield f"loads {parameters['request']['url'][:100]}"


def list_pages(folder):
    found = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(".html")]
    return sorted(os.path.relpath(path, folder) for path in found)


def check(options):
    folder, wrong = user_path(options.site), 0
    paths = options.pages.split(",") if options.pages else list_pages(folder)
    with Browser() as browser:
        for width in WIDTHS:
            for dark in (False, True):
                browser.look(width, dark)
                for path in paths:
                    for line in problems(browser, folder, path):
                        wrong += 1
                        print(f"{path} at {width} px{', dark' * dark}: {line}")
                    if options.screenshots:
                        _save(browser, user_path(options.screenshots), path, f"{width}{'_dark' * dark}")
    print(f"looked at {len(paths)} pages in {len(WIDTHS)} widths, light and dark: {wrong} problems")
    return 1 if wrong else 0


def _save(browser, folder, path, look):
    os.makedirs(folder, exist_ok=True)
    name = path.split("#")[0].removesuffix(".html").replace("/", "_")
    with open(os.path.join(folder, f"{name}_{look}.png"), "wb") as file:
        file.write(browser.screenshot())


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", help="the folder")
    parser.add_argument("--pages", help="paths in it, with commas between them [all]")
    parser.add_argument("--screenshots", metavar="FOLDER", help="where to write a PNG of each")
    options = parser.parse_args(arguments)
    return command.run(lambda: check(options))


if __name__ == "__main__":
    sys.exit(main())
