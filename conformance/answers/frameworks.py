"""The frameworks that confirm expected values: the testees of testees.json that have a family.

Implementations of one family share a backend, as Keras and TensorFlow do: what two of them agree on has been
confirmed once.
"""

import dataclasses
import json
import os

TABLE = "conformance/testees.json"


@dataclasses.dataclass(frozen=True)
class Framework:
    name: str
    family: str
    packages: tuple  # of third_party/frameworks/requirements.txt


def load(root):
    """Name -> Framework, of the tree at `root`."""
    with open(os.path.join(root, TABLE), encoding="utf-8") as stream:
        testees = json.load(stream)["testees"]
    return {
        testee["name"]: Framework(testee["name"], testee["family"], tuple(testee["packages"]))
        for testee in testees
        if "family" in testee
    }


def families(names, known):
    """The families of these frameworks, sorted; `known` is what load gave."""
    return sorted({known[name].family for name in names})
