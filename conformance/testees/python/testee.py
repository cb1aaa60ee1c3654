"""What a framework has to say so that the engine can put programs to it."""

import contextlib

from conformance.testees.python import program_steps
from conformance.testees.python.answer import answer, answer_of_workers
from conformance.testees.python.errors import class_of
from conformance.testees.python.step_table import StepTable


class Testee:
    """The base of a framework's testee: fill in what its own programs need.

    class NumPy(Testee):
        name = "numpy"
        implementation = "NumPy " + numpy.__version__
        steps = StepTable(program_steps.steps, value_steps.steps)
        ...

    sys.exit(protocol.serve(NumPy()))
    """

    # What `start` answers. A convention that is left out has its documented value.
    name = ""
    implementation = ""
    devices = ("CPU",)
    conventions = {}

    # The steps it has; the base's are the program's own.
    steps = StepTable(program_steps.steps)

    # Whether each program runs in a child process of its own, forked when it comes:
    # for a framework whose state (its devices) is set once a process. Import it
    # before, so that no child has to; let it begin its work in `given`.
    forks = False

    # Of how many workers it can start a job, each forked likewise; 0: of none.
    workers = 0

    @contextlib.contextmanager
    def given(self, given):
        """Around a program: sets up what is `given`; yields the names it begins with."""
        yield {}

    def worker_environments(self, given):
        """For each of the workers the variables by which the framework finds the others.

        Raises Unsupported where it has no such workers.
        """
        raise NotImplementedError

    def answer(self, request):
        """The reply to a `run` request; one whose replicas are processes has its own."""
        # A cluster's coordinator runs the program alone; it is for `given` to start the others.
        several = "workers" in request["given"] and "servers" not in request["given"]
        return (answer_of_workers if several else answer)(self, request)

    def literal(self, literal, dtype):
        """A number, boolean or nested lists of them as a value of the framework."""
        raise NotImplementedError

    def dtype_of(self, value):
        """The value's element type by its name in operations.md, such as `float32`."""
        raise NotImplementedError

    def plain(self, value):
        """An own value (a tensor) as numbers, texts, None, lists, tuples, dicts.

        Called for what is observed and is not Python's own. A value that differs by
        replica is a list with one entry a replica. NotImplemented for what is no value
        (a variable, a dataset): a program that observes it is wrong.
        """
        raise NotImplementedError

    def part_of(self, value, key):
        """The part `key` of an own value that has parts."""
        raise NotImplementedError

    def error_class(self, error):
        """The class of operations.md for an exception that a step raised.

        The base knows Python's own; what says nothing to a user is `Internal`.
        """
        return class_of(error)
