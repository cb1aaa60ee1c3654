"""The files of the site, as texts by their paths."""

import os

from reports import badge, page
from reports.site import addresses

TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")
NAVIGATION = (
    (addresses.INDEX, "Promise"),
    (addresses.CASES, "Cases"),
    (addresses.DEFECTS, "Defects"),
    (addresses.VERSIONS, "Versions"),
    (addresses.PERFORMANCE, "Performance"),
    (addresses.COVERAGE, "Coverage"),
)


class Pages:
    """Collects the site's files. files: path in the folder -> text."""

    def __init__(self, content):
        self._places = {addresses.case(row["case"]["id"]) for row in content.table.rows}
        self._places |= {addresses.defect(defect["script"]) for defect in content.defects}
        self.files = {}

    def add(self, path, template, **values):
        """Renders a page. `template`: of this folder, or the path of another report's.

        Beside `values` the template has `root`, the way back to the index, and the addresses of cases and scripts:
        None of those that have no place here.
        """
        root = "../" * path.count("/")
        self.files[path] = page.render(
            os.path.join(TEMPLATES, template),
            shell="site.html.j2",
            root=root,
            here=path,
            navigation=NAVIGATION,
            at=addresses,
            case_address=lambda case_id: self._known(root, addresses.case(case_id)),
            script_address=lambda script: self._known(root, addresses.defect(script)),
            fills=badge.FILLS,
            **values,
        )

    def _known(self, root, place):
        """The place's address; None where the site has no such place."""
        return root + place if place in self._places else None
