"""Renders the templates of all reports: HTML and SVG escaped, Markdown and text as it is."""

import json
import os
import re

import jinja2
import markupsafe

from reports import reference_link
from reports.plots import colors

TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")
# What Markdown, or HTML within it, would take for something else than text.
MARKS = re.compile(r"[\\`*\[\]<>&|~]|(?<!\w)_|_(?!\w)")


def render(template, **values):
    """The text of a template with these values; every one must be there.

    `template`: a file of templates/, or the path of one elsewhere, which may extend and
    import those and its neighbours.
    """
    folder, name = os.path.split(template)
    folders = [folder, TEMPLATES] if folder else [TEMPLATES]
    return _environment(folders).get_template(name).render(**values)


def as_json(value):
    """JSON for people: on one line, in the words it came in."""
    return json.dumps(value, ensure_ascii=False)


def table_cell(text):
    """Text that stays within one cell of a Markdown table."""
    return " ".join(str(text).split()).replace("|", "\\|")


def breakable(name):
    """HTML of a name that may be broken behind its slashes."""
    return markupsafe.Markup("/<wbr>").join(name.split("/"))


def markdown_text(text):
    """Text that Markdown shows as it is, on one line and in a table too."""
    return MARKS.sub(lambda mark: "\\" + mark.group(), " ".join(str(text).split()))


def code_cell(text):
    """A code span that stays within one cell of a Markdown table."""
    code = " ".join(str(text).split()).replace("|", "\\|")
    fence = _fence(code, 1)
    return f"{fence} {code} {fence}" if "`" in code else f"{fence}{code}{fence}"


def code_block(text, language=""):
    """A block of Markdown that shows the text as it is."""
    fence = _fence(text, 3)
    return f"{fence}{language}\n{text}\n{fence}"


def _fence(text, shortest):
    """Backticks that the text cannot close."""
    return "`" * max(shortest, *(len(run) + 1 for run in re.findall("`+", text)), 0)


def _environment(folders):
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        autoescape=lambda name: name.endswith((".html.j2", ".svg.j2")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for filter_ in (as_json, breakable, table_cell, markdown_text, code_cell, code_block):
        environment.filters[filter_.__name__] = filter_
    environment.filters["reference_link"] = reference_link.find
    environment.globals["plot_variables"] = colors.variables()
    return environment
