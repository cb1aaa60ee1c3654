"""Runs cases against one version of a framework: installs it, has its testee answer, and reads the result."""

import dataclasses
import os
import re
import tempfile

from conformance.answers import run_cases
from conformance.versions.version_folders import NotInstalled
from reports import conformance_result
from reports.json_file import ReportError


@dataclasses.dataclass(frozen=True)
class VersionResult:
    """What became of a version: a result of //conformance:run, or a problem in words."""

    version: str
    result: dict | None = None
    problem: str | None = None


class VersionRun:
    """Asks versions of a framework, one after the other.

    arguments: of //conformance:run, which choose cases and how they are put
    wanted: the ids of these cases
    environment: variables for the testee; the version's folder comes first on its PYTHONPATH
    keep: the folder where results stay; None for none
    """

    def __init__(self, framework, folders, arguments, wanted, environment, keep=None):
        self._framework = framework
        self._folders = folders
        self._arguments = arguments
        self._wanted = wanted
        self._environment = environment
        self._keep = keep

    def ask(self, version, title, tell):
        """The VersionResult of a version, under `title` where progress is shown.

        What is wrong with the version is its problem; errors: OSError.
        """
        try:
            found = self._folders.find(self._framework.requirements(version))
            if found.seconds:
                tell(f"{title}: installed in {found.seconds:.1f} s")
            environment = in_front(found.path, self._environment)
            environment |= self._framework.variables(version)
            return VersionResult(version, self._put(version, environment, title))
        except NotInstalled as error:
            return VersionResult(version, problem=f"cannot be installed: {error}")
        except (run_cases.NotRun, ReportError) as error:
            return VersionResult(version, problem=f"could not be run: {error}")

    def _put(self, version, environment, title):
        with tempfile.TemporaryDirectory() as temporary:
            place = os.path.join(self._keep or temporary, f"{self._framework.name}-{version}.json")
            run_cases.run(
                [f"--testee={self._framework.testee}", *self._arguments, f"--json={place}"],
                self._wanted,
                title,
                environment,
            )
            result = conformance_result.load(place)
        _check_version(version, result)
        return result


def in_front(folder, environment):
    """The environment's variables, by which Python looks into the folder first."""
    path = os.pathsep.join(filter(None, [folder, environment.get("PYTHONPATH")]))
    return environment | {"PYTHONPATH": path}


def read(path):
    """The VersionResult of a result that is there already. Errors: ReportError."""
    result = conformance_result.load(path)
    name, version = conformance_result.title(result)
    if not result["complete"]:
        raise ReportError(f"[load] {path}: of a run that was interrupted")
    return VersionResult(version or name, result)


def _check_version(version, result):
    """Another one than was installed would be shown under its name."""
    said = result["testee"]["implementation"]
    if not re.search(rf"(?<![\w.]){re.escape(version)}(?!\.?\w)", said):
        raise ReportError(f"the testee says that it is {said}")
