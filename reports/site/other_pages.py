"""The pages that show one report each: versions, defects, performance, coverage, and porting guides."""

import collections
import os

from conformance.versions import found_page
from reports import case_status, coverage, page
from reports.coverage_count import LEVELS, STATES, CoverageCount
from reports.dialect_difference import DialectDifference
from reports.performance import report
from reports.site import addresses, inline_markdown

# States of defects.json, with what is said of them.
DEFECTS = (
    ("unreported", "Open, without a known public report"),
    ("reported", "Open, with a public report"),
    ("by_design", "By design"),
    ("past", "In past versions"),
)


def add(pages, content):
    add_versions(pages, content)
    add_defects(pages, content)
    add_performance(pages, content)
    add_coverage(pages, content)
    add_porting(pages, content)


def add_versions(pages, content):
    pages.add(
        addresses.VERSIONS,
        "versions.html.j2",
        columns=content.table.columns,
        statuses=case_status.ALL,
        **found_page.values(content.found, content.bugs),
    )


def add_defects(pages, content):
    groups = collections.defaultdict(list)
    for defect in content.defects:
        groups[state(defect)].append(defect)
    pages.add(
        addresses.DEFECTS,
        "defects.html.j2",
        groups=[(name, title, groups[name]) for name, title in DEFECTS],
        shown_by=_shown_by(content.table),
        markdown=inline_markdown.render,
    )


def state(defect):
    """A name of DEFECTS: an open defect is reported or not."""
    if defect["state"] == "open":
        return "reported" if defect.get("report") else "unreported"
    return defect["state"]


def _shown_by(table):
    """Place of a script -> [(id of a case, column)] of the answers whose deviation names it."""
    found = collections.defaultdict(list)
    for row in table.rows:
        for cell, column in zip(row["cells"], table.columns):
            script = (cell["case"] or {}).get("deviation", {}).get("script")
            if script:
                found[addresses.defect(script)].append((row["case"]["id"], column))
    return dict(found)


def add_performance(pages, content):
    built = content.performance
    pages.add(addresses.PERFORMANCE, os.path.join(report.TEMPLATES, "report.html.j2"), **report.values(built))


def add_coverage(pages, content):
    count = CoverageCount(content.catalogue)
    pages.add(
        addresses.COVERAGE,
        os.path.join(page.TEMPLATES, "coverage.html.j2"),
        count=count,
        catalogue=count.catalogue,
        states=STATES,
        levels=LEVELS,
        place=coverage.place,
    )


def add_porting(pages, content):
    """A guide for each pair of implementations, there and back."""
    template = os.path.join(page.TEMPLATES, "porting_guide.html.j2")
    for old in content.table.columns:
        for new in content.table.columns:
            if old is not new:
                difference = DialectDifference(old["result"], new["result"], content.conventions)
                pages.add(addresses.porting(old["key"], new["key"]), template, difference=difference)
