"""Renders the templates of all reports: HTML escaped, Markdown and text as it is."""

import json
import os

import jinja2

from reports import reference_link


def render(template, **values):
    """The text of templates/`template` with these values; every one must be there."""
    return _environment().get_template(template).render(**values)


def as_json(value):
    """JSON for people: on one line, in the words it came in."""
    return json.dumps(value, ensure_ascii=False)


def table_cell(text):
    """Text that stays within one cell of a Markdown table."""
    return " ".join(str(text).split()).replace("|", "\\|")


def _environment():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=lambda name: name.endswith(".html.j2"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["as_json"] = as_json
    environment.filters["table_cell"] = table_cell
    environment.filters["reference_link"] = reference_link.find
    return environment
