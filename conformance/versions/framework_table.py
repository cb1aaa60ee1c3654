"""The frameworks whose past versions can be asked: which package, which testee, and what goes with a version."""

import dataclasses
import fnmatch
import re

from reports import command, json_file

# As pip writes them, and nothing that it would take for an option or an address.
VERSION = re.compile(r"\d[\w.!+]*")
PACKAGE = re.compile(rf"\w[\w.-]*=={VERSION.pattern}")


@dataclasses.dataclass(frozen=True)
class Framework:
    """Versions of `package` in front of the environment's own, asked by `testee`.

    testee: a name of testees.json, or a command
    together: ((pattern of versions, packages), ...): what a version needs besides itself; the first
    pattern that fits counts, and "{version}" in a package is the version's own number
    """

    name: str
    package: str
    testee: str
    together: tuple = ()

    def requirements(self, version):
        """Everything that is installed for a version: ["jax==0.5.0", "jaxlib==0.5.0"]."""
        fitting = (packages for pattern, packages in self.together if fnmatch.fnmatchcase(version, pattern))
        return [f"{self.package}=={version}",
                *(package.format(version=version) for package in next(fitting, ()))]


def load():
    """Name -> Framework, of frameworks.json. Errors: ReportError."""
    document = json_file.load(command.conformance_path("versions", "frameworks.json"),
                              command.conformance_path("versions", "frameworks.schema.json"))
    return {entry["name"]: Framework(entry["name"], entry["package"], entry["testee"], _together(entry))
            for entry in document["frameworks"]}


def _together(entry):
    return tuple((rule["versions"], tuple(rule["packages"])) for rule in entry.get("with", ()))
