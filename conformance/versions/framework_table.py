"""The frameworks whose past versions can be run: package, testee, and what goes with a version."""

import dataclasses
import fnmatch
import re

from reports import command, json_file

# As pip writes them, and nothing that it would take for an option or an address.
VERSION = re.compile(r"\d[\w.!+]*")
PACKAGE = re.compile(rf"\w[\w.-]*=={VERSION.pattern}")


@dataclasses.dataclass(frozen=True)
class Together:
    """What versions need in addition to themselves: packages, and variables of the environment, as pairs."""

    versions: str
    packages: tuple
    variables: tuple = ()


@dataclasses.dataclass(frozen=True)
class Framework:
    """Versions of `package` in front of the environment's own, run by `testee`.

    testee: a name of testees.json, or a command
    together: (Together, ...), of which the first whose pattern fits counts; "{version}" in a
    package is the version's own number
    """

    name: str
    package: str
    testee: str
    together: tuple = ()

    def requirements(self, version):
        """Everything that is installed for a version: ["jax==0.5.0", "jaxlib==0.5.0"]."""
        return [
            f"{self.package}=={version}",
            *(package.format(version=version) for package in self._fitting(version).packages),
        ]

    def variables(self, version):
        """What its environment has beside what every environment has: {"NAME": "value"}."""
        return dict(self._fitting(version).variables)

    def _fitting(self, version):
        fitting = (rule for rule in self.together if fnmatch.fnmatchcase(version, rule.versions))
        return next(fitting, Together("*", ()))


def load():
    """Name -> Framework, of frameworks.json. Errors: ReportError."""
    document = json_file.load(
        command.conformance_path("versions", "frameworks.json"),
        command.conformance_path("versions", "frameworks.schema.json"),
    )
    return {
        entry["name"]: Framework(entry["name"], entry["package"], entry["testee"], _together(entry))
        for entry in document["frameworks"]
    }


def _together(entry):
    return tuple(
        Together(rule["versions"], tuple(rule["packages"]), tuple(rule.get("variables", {}).items()))
        for rule in entry.get("with", ())
    )
