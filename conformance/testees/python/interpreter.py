"""Runs the steps of a program, one after another."""

from conformance.testees.python.errors import ProgramError, StepError, Unsupported
from conformance.testees.python.observation import observation_of
from conformance.testees.python.step_call import StepCall


class Interpreter:
    """Runs programs for a testee, with `folder` for their files."""

    def __init__(self, testee, folder):
        self.testee = testee
        self.folder = folder

    def check_steps(self, program):
        """Raises Unsupported where the program has a step that the testee does not support."""
        for step in program:
            if self.testee.steps.find(step["step"]) is None:
                reason = self.testee.steps.reason(step["step"])
                raise Unsupported(reason, step["step"])
            self.check_steps(step.get("program", []))

    def run(self, program, environment):
        """Raises StepError at the first step that fails; Unsupported; ProgramError."""
        for step in program:
            value = self._run_step(step, environment)
            if "observe" in step:
                observation = observation_of(value, self.testee.plain)
                environment.observe(step["observe"], observation)
            if "let" in step:
                environment.bind(step["let"], value)

    def _run_step(self, step, environment):
        name = step["step"]
        try:
            return self.testee.steps.find(name)(StepCall(step, environment, self))
        except Unsupported as unsupported:
            unsupported.step = unsupported.step or name
            raise
        except (StepError, ProgramError):
            raise  # of a step in the block, which says more
        except Exception as error:
            error_class = self.testee.error_class(error)
            message = f"{type(error).__name__}: {error}"
            raise StepError(error_class, message, name) from error
