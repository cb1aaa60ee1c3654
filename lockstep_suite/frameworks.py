"""Which packages the testees need, by conformance/testees.json, and which of them are installed here."""

import importlib.metadata
import json
import os

from lockstep_suite import installation

# A package of testees.json that users may have under another name, which pip installs.
_OTHER_NAMES = {"tensorflow_cpu": "tensorflow"}


class Missing(Exception):
    """A testee needs packages that this Python does not have."""


def needed():
    """Testee -> the packages that it needs, of all that are programs in Python."""
    with open(os.path.join(installation.FILES, "conformance", "testees.json"), encoding="utf-8") as stream:
        testees = json.load(stream)["testees"]
    packages = {testee["name"]: testee["packages"] for testee in testees if "packages" in testee}
    # A variant of another testee has that one's list of deviations, and needs its packages.
    variants = {testee["name"]: packages.get(testee.get("deviations")) for testee in testees}
    return packages | {name: of_other for name, of_other in variants.items() if of_other}


def version(package):
    """None where it is not installed."""
    for name in (package, _OTHER_NAMES.get(package, package)):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def missing(packages):
    """Those that are not installed, by the names that pip installs."""
    return [_OTHER_NAMES.get(package, package) for package in packages if version(package) is None]


def require(testee):
    """Errors: Missing, with the command that installs them."""
    if absent := missing(needed().get(testee, ())):
        raise Missing(f"[Run] the testee {testee} needs {', '.join(absent)}: pip install {' '.join(absent)}")
