"""What can end a program before its last step."""


class Unsupported(Exception):
    """The framework has no such thing.

    A step raises it with the true reason; the interpreter adds the step's name.
    """

    def __init__(self, reason, step=None):
        super().__init__(reason)
        self.reason = reason
        self.step = step


class StepError(Exception):
    """A step failed: `error_class` is one of operations.md, `step` the one that failed."""

    def __init__(self, error_class, message, step):
        super().__init__(message)
        self.error_class = error_class
        self.message = message
        self.step = step


class ProgramError(Exception):
    """The program itself is wrong, so that no answer to it would mean anything."""


# What operations.md says of Python's own exceptions; the more special first.
PYTHON_CLASSES = (
    (NotImplementedError, "Unimplemented"),
    (FileNotFoundError, "NotFound"),
    (StopIteration, "OutOfRange"),
    ((ValueError, TypeError, AssertionError), "InvalidArgument"),
    (RuntimeError, "FailedPrecondition"),
)


def class_of(error, classes=PYTHON_CLASSES):
    """The class that belongs to the first matching exception type, else `Internal`."""
    for types, name in classes:
        if isinstance(error, types):
            return name
    return "Internal"
