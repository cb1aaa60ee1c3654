"""What no case notices for a reason: unnoticed.json.

listed = load(root)
complaints(listed, findings, names)  # a line for each that is not as listed
"""

import json
import os

from conformance.less import examine

FILE = "conformance/less/unnoticed.json"
MOST = 10


class ListError(Exception):
    """The list is not as it is to be."""


def load(root):
    """What was taken out -> the reason. Errors: ListError."""
    with open(os.path.join(root, FILE), encoding="utf-8") as stream:
        entries = json.load(stream)["unnoticed"]
    listed = {}
    for entry in entries:
        if set(entry) != {"name", "reason"} or not entry["reason"] or entry["name"] in listed:
            raise ListError("[Less] %s: wanted a name, once, and its reason, got %s" % (FILE, json.dumps(entry)))
        listed[entry["name"]] = entry["reason"]
    if len(listed) > MOST:
        raise ListError("[Less] %s: wanted at most %d entries, got %d" % (FILE, MOST, len(listed)))
    return listed


def complaints(listed, findings, names):
    """A line for each finding that is not as listed, and each entry that names nothing. `names`: all there are."""
    lines = [
        "%s: the vocabulary has no such thing: take it from %s" % (name, FILE) for name in listed if name not in names
    ]
    for finding in findings:
        missed = finding.result == examine.MISSED
        # An option of a step that no case notices is not noticed either.
        is_listed = finding.name in listed or finding.name.split(":")[0] in listed
        if missed and not is_listed:
            lines.append("%s: no case notices it: write a case, or an entry of %s" % (finding.name, FILE))
        elif not missed and finding.name in listed:
            lines.append("%s: take it from %s" % (finding.describe(), FILE))
    return lines
