"""The stored answers as a build judged them: results of //conformance:run, one a testee, and the reference's."""

import glob
import json
import os

FOLDER = "conformance/answers/results"


def load_all(root="."):
    """Name of the testee -> result, of the tree at `root` as Bazel laid it out."""
    found = {}
    for path in sorted(glob.glob(os.path.join(root, FOLDER, "*.json"))):
        with open(path, encoding="utf-8") as stream:
            found[os.path.basename(path)[: -len(".json")]] = json.load(stream)
    return found
