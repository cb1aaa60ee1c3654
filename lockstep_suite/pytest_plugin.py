"""Makes each case a test of an implementation.

    pytest --lockstep-testee=my_testee.py
    pytest --lockstep-testee=pytorch_ddp --lockstep-area=equivalence

All cases run once, before the tests are collected. A case that the implementation does not support is skipped; one that
is not as expected fails, with what was observed and what was expected.
"""

import pytest

from lockstep_suite import frameworks, installation, results

_UNSUPPORTED = "unsupported"


def pytest_addoption(parser):
    group = parser.getgroup("lockstep", "data-parallel conformance cases")
    group.addoption("--lockstep-testee", metavar="TESTEE", help="make each case a test of this implementation")
    group.addoption("--lockstep-area", metavar="AREAS", help="of these areas only, as equivalence,input")
    group.addoption("--lockstep-filter", metavar="PATTERN", help="of these ids only, with * and ?")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Runs all cases before the session collects, so that there is a test of each."""
    config = session.config
    testee = config.getoption("lockstep_testee")
    if not testee:
        return
    try:
        config.lockstep_result = results.run(
            testee, area=config.getoption("lockstep_area"), filter=config.getoption("lockstep_filter")
        )
    except (frameworks.Missing, installation.CannotRun) as error:
        raise pytest.UsageError(str(error)) from error


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session, config, items):
    result = getattr(config, "lockstep_result", None)
    if result:
        suite = Suite.from_parent(session, name="lockstep", nodeid="lockstep")
        items.extend(CaseItem.from_parent(suite, name=case.id, case=case) for case in result.cases)


class Suite(pytest.Collector):
    """The cases of the run."""

    def collect(self):
        return []


class Unexpected(Exception):
    """A case is not as expected."""


class CaseItem(pytest.Item):
    """A case of the run, as a test."""

    def __init__(self, *, case, **options):
        super().__init__(**options)
        self._case = case

    def runtest(self):
        if self._case.verdict == _UNSUPPORTED:
            pytest.skip("the implementation does not support a step of it")
        if not self._case.as_expected:
            raise Unexpected(str(self._case))

    def repr_failure(self, excinfo, style=None):
        return str(excinfo.value) if isinstance(excinfo.value, Unexpected) else super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, self.name
