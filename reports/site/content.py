"""Everything that the site shows, read from the tree: answers, documents, versions, defects, results of benchmarks."""

import dataclasses
import glob
import os

from conformance.versions import found_table, known_bugs
from reports import command, conformance_result, json_file, porting_guide
from reports.catalogue import Catalogue
from reports.json_file import ReportError
from reports.matrix_table import MatrixTable
from reports.performance import report, result_set
from reports.site import addresses

REFERENCE = "reference"
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclasses.dataclass(frozen=True)
class Content:
    """`table`: the MatrixTable of all answers; `catalogue`: the Catalogue of cases and documents.

    conventions: those of conventions.json; found: name of a framework -> its versions (found_table.load_all); bugs:
    [known_bugs.Bug]; defects: [{"script", "framework", "state", "shows", "source", ...}] of defects.json; performance:
    a performance report.Report.
    """

    table: MatrixTable
    catalogue: Catalogue
    conventions: list
    found: dict
    bugs: list
    defects: list
    performance: report.Report

    def __post_init__(self):
        _check_slugs(self.table)


def load(paths=()):
    """The Content, with the results in these files of //conformance:run; without any, those that a build judged.

    Errors: ReportError for a file that cannot be shown, or where a build has judged nothing.
    """
    return Content(
        table=MatrixTable([conformance_result.load(path) for path in paths or _judged()]),
        catalogue=Catalogue(command.conformance_path()),
        conventions=porting_guide.load_conventions(),
        found=found_table.load_all(),
        bugs=known_bugs.load(),
        defects=_defects(),
        performance=report.build(result_set.load([os.path.join(_ROOT, "benchmarks", "results")])),
    )


def _judged():
    """The files of results that //conformance/answers:results made, the reference's first."""
    paths = glob.glob(command.conformance_path("answers", "results", "*.json"))
    if not paths:
        raise ReportError("[site] no judged answers here: name result files, or run ./bazelw run //reports:site in the source tree")
    return sorted(paths, key=lambda path: (os.path.basename(path) != REFERENCE + ".json", path))


def _defects():
    """The entries of defects.json, each with the text of its script as `source`."""
    entries = json_file.load(command.conformance_path("defects", "defects.json"))
    return [{**entry, "source": _text("defects", *entry["script"].split("/"))} for entry in entries]


def _text(*names):
    with open(command.conformance_path(*names), encoding="utf-8") as file:
        return file.read()


def _check_slugs(table):
    slugs = [addresses.slug(column["key"]) for column in table.columns]
    for slug, column in zip(slugs, table.columns):
        if slugs.count(slug) > 1:
            raise ReportError(f"[site] {column['key']!r}: another testee's pages have the same name, {slug}")
