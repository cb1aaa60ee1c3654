"""Puts the site together: each file's text by its path."""

import os

from reports import case_status, page
from reports.site import addresses, case_pages, implementation_pages, other_pages
from reports.site.content import REFERENCE
from reports.site.implementation_pages import WORDS
from reports.site.pages import TEMPLATES, Pages


def build(content):
    """Path in the folder -> text of every file of the site."""
    pages = Pages(content)
    _add_index(pages, content)
    implementation_pages.add(pages, content)
    case_pages.add(pages, content)
    other_pages.add(pages, content)
    for path, template in (
        (addresses.STYLE, "site.css.j2"),
        (addresses.FILTER_SCRIPT, "cases.js.j2"),
        (addresses.ANSWERS_SCRIPT, "answers.js"),
    ):
        pages.files[path] = page.render(os.path.join(TEMPLATES, template), statuses=case_status.ALL.values())
    return pages.files


def _add_index(pages, content):
    table = content.table
    pages.add(
        addresses.INDEX,
        "index.html.j2",
        table=table,
        ranked=_ranked(table.columns),
        promised=max(sum(column["promise"]) for column in table.columns),
        words=[(word, title, means) for word, title, _, means in WORDS],
        open_defects=sum(other_pages.state(defect) == "unreported" for defect in content.defects),
        versions=sum(len(found["versions"]) for found in content.found.values()),
        frameworks=len(content.found),
        entries=len(content.performance.results.series),
    )


def _ranked(columns):
    """Who keeps the promise in most cases first; the reference, which is made to, last."""
    return sorted(columns, key=lambda column: (column["key"] == REFERENCE, -column["promise"].kept, column["name"]))
