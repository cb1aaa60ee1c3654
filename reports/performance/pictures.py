"""The figures of a report as SVG files, for a README: titled, on white, so that they read on any background."""

import os

from reports.json_file import ReportError
from reports.output_file import OutputFile

# A page with several of them should load at once.
MOST_BYTES = 60_000


def make(sections):
    """{file name: SVG} of the figures: SECTION.svg, or SECTION_KEY.svg where a section has several.

    Of one thing at several dates it is the newest, as on the page. Errors: ReportError without figures, and for a
    picture of over MOST_BYTES.
    """
    made = {}
    for section in sections:
        for drawing, _ in section.shown:
            name = section.name if len(section.shown) == 1 else f"{section.name}_{_slug(drawing.key)}"
            made[f"{name}.svg"] = drawing.picture()
    if not made:
        raise ReportError("[pictures] nothing to draw: " + " ".join(section.empty for section in sections))
    for name, svg in made.items():
        size = len(svg.encode())
        if size > MOST_BYTES:
            raise ReportError(f"[pictures] {name} has {size} bytes, at most {MOST_BYTES}: give fewer files")
    return made


def write(made, folder):
    """Writes them into a folder that is there. Errors: OSError, before any is written where it cannot be."""
    files = [(OutputFile(os.path.join(folder, name)), svg) for name, svg in made.items()]
    for file, svg in files:
        file.write(svg)


def _slug(key):
    return "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in key)
