"""A comparison as JUnit XML, in the form that Jenkins and GitLab read: a test fails where its case is a regression."""

import re
from xml.etree import ElementTree

from reports import case_status

# What XML 1.0 cannot represent.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(changes):
    """The document of a ResultChanges: a suite for each topic, a test for each case of NEW.

    <failure>  a regression, and nothing else
    <skipped>  any other case that did not pass, and one whose level is not enforced
    """
    regressions = {change.new["id"]: change for change in changes.regressions}
    root = ElementTree.Element("testsuites", name=_clean(f"changes of {changes.new['testee']['name']}"))
    topics = {}
    for case in sorted(changes.new["cases"], key=lambda case: case["id"]):
        topics.setdefault(case["id"].rpartition("/")[0], []).append(case)
    for topic, cases in topics.items():
        suite = ElementTree.SubElement(root, "testsuite", name=topic)
        for case in cases:
            _add_case(suite, topic, case, regressions.get(case["id"]), changes)
        _count(suite)
    _count(root)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add_case(suite, topic, case, regression, changes):
    name = f"conformance.{changes.new['testee']['name']}.{topic.replace('/', '.')}"
    test = ElementTree.SubElement(
        suite,
        "testcase",
        classname=_clean(name),
        name=case["id"].rpartition("/")[2],
        file=f"conformance/cases/{topic}.json",
        time=f"{case.get('duration_s', 0):.6f}",
    )
    word = case_status.of_case(case).word
    if regression:
        failure = ElementTree.SubElement(test, "failure", type=case["verdict"])
        failure.set("message", _clean(f"was: {case_status.of_case(regression.old).word}; now: {word}"))
        failure.text = _clean("\n".join([case.get("states", ""), *(one.text for one in regression.differences)]))
    elif case["verdict"] != "passed" or case["level"] not in changes.enforced:
        ElementTree.SubElement(test, "skipped", message=f"no regression; {case['level']}: {word}")


def _count(element):
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        element.set(name, str(sum(1 for _ in element.iter(tag))))
    element.set("errors", "0")
    element.set("time", f"{sum(float(test.get('time')) for test in element.iter('testcase')):.3f}")


def _clean(text):
    return _FORBIDDEN.sub("\ufffd", text)
