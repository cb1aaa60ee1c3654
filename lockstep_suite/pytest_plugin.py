"""Makes each case a test of an implementation.

    pytest --lockstep-testee=my_testee.py
    pytest --lockstep-testee=pytorch_ddp --lockstep-area=equivalence

    pytest --lockstep-testee=my_testee.py --lockstep-deviations=mine.json --lockstep-level=required

All cases run once, before the tests are collected. A case that the implementation does not support is skipped, with the
step and the reason; one that is not as expected fails, with what was observed and what was expected. One that differs
as the list of known deviations says passes.
"""

import pytest

from lockstep_suite import frameworks, installation, results

_UNSUPPORTED = "unsupported"
# Options that results.run takes under the same name.
_CHOICES = {
    "area": ("AREAS", "of these areas only, as equivalence,input"),
    "filter": ("PATTERN", "of these ids only, with * and ?"),
    "level": ("LEVELS", "of these levels only, as required,recommended"),
    "deviations": ("FILE", "list of known deviations; a case that differs as it says passes"),
}


def pytest_addoption(parser):
    group = parser.getgroup("lockstep", "data-parallel conformance cases")
    group.addoption("--lockstep-testee", metavar="TESTEE", help="make each case a test of this implementation")
    for name, (value, text) in _CHOICES.items():
        group.addoption(f"--lockstep-{name}", metavar=value, help=text)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Runs all cases before the session collects, so that there is a test of each."""
    config = session.config
    testee = config.getoption("lockstep_testee")
    if not testee:
        return
    try:
        choices = {name: config.getoption(f"lockstep_{name}") for name in _CHOICES}
        config.lockstep_result = results.run(testee, **choices)
    except (frameworks.Missing, installation.CannotRun) as error:
        raise pytest.UsageError(str(error)) from error


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session, config, items):
    result = getattr(config, "lockstep_result", None)
    if not result:
        return
    suite = Suite.from_parent(session, name="lockstep", nodeid="lockstep")
    problems = result.problems()
    for case in result.cases:
        items.append(CaseItem.from_parent(suite, name=case.id, case=case, problems=problems.pop(case.id, ())))
    if problems:
        items.append(ListItem.from_parent(suite, name="deviations", problems=problems))


class Suite(pytest.Collector):
    """The cases of the run."""

    def collect(self):
        return []


class Unexpected(Exception):
    """A case is not as expected."""


class LockstepItem(pytest.Item):
    """A test whose failure is its message alone."""

    def repr_failure(self, excinfo, style=None):
        return str(excinfo.value) if isinstance(excinfo.value, Unexpected) else super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, self.name


class ListItem(LockstepItem):
    """Fails where the list of known deviations is wrong in itself: an entry without a reason, a case that is gone."""

    def __init__(self, *, problems, **options):
        super().__init__(**options)
        self._problems = problems

    def runtest(self):
        raise Unexpected("\n".join(f"{of}: {text}" for of, texts in self._problems.items() for text in texts))


class CaseItem(LockstepItem):
    """A case of the run, as a test."""

    def __init__(self, *, case, problems, **options):
        super().__init__(**options)
        self._case = case
        self._problems = problems

    def runtest(self):
        if self._case.verdict == _UNSUPPORTED:
            pytest.skip("; ".join(self._case.missing) or "nothing applies to the implementation's conventions")
        if not self._case.as_expected:
            raise Unexpected("\n".join([str(self._case), *self._problems]))
