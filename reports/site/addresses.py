"""Where things are in the site's folder: permanent links, relative to its root.

A case keeps its address as long as it keeps its id: cases/AREA/TOPIC.html#CLAIM, and what an implementation answered
is at #CLAIM@NAME. A file has the cases of a topic, so that the folder stays small and neighbours are read together.
"""

import re
import urllib.parse

INDEX, CASES, VERSIONS, DEFECTS = "index.html", "cases.html", "versions.html", "defects.html"
PERFORMANCE, COVERAGE = "performance.html", "coverage.html"
STYLE, FILTER_SCRIPT, ANSWERS_SCRIPT = "site.css", "cases.js", "answers.js"

_OTHER = re.compile(r"[^A-Za-z0-9_.-]+")


def slug(key):
    """A testee's name as part of a file's name: letters, digits and _ . - of ASCII, no dot first.

    >>> slug("<b>keras</b>")
    '-b-keras-b-'
    """
    return _OTHER.sub("-", key).lstrip(".") or "-"


def topic(case_id):
    """The page of a case's topic."""
    area, name, _ = case_id.split("/")
    return f"cases/{area}/{name}.html"


def case(case_id):
    return f"{topic(case_id)}#{claim(case_id)}"


def claim(case_id):
    return case_id.split("/")[2]


def answer(case_id, key):
    """What the implementation with this key answered."""
    return f"{case(case_id)}@{slug(key)}"


def implementation(key):
    return f"implementations/{slug(key)}.html"


def badge(key):
    return f"badges/{slug(key)}.svg"


def porting(old, new):
    """The guide from one implementation, by its key, to another."""
    return f"porting/{slug(old)}-to-{slug(new)}.html"


def defect(script):
    """The place of a script, by its path or its file's name."""
    return f"{DEFECTS}#{script.split('/')[-1].removesuffix('.py')}"


def selection(**chosen):
    """The table of cases with fields of its filter chosen: column, status, level, tier, area (or topic) or text."""
    return f"{CASES}#{urllib.parse.urlencode(chosen)}"
