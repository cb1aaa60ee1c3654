"""program.logged: TensorFlow logs by Python's logging."""

import logging

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()


class Lines(logging.Handler):
    """Keeps what is logged; each program has a process of its own."""

    def __init__(self):
        super().__init__()
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


_LINES = Lines()
tf.get_logger().addHandler(_LINES)
tf.get_logger().setLevel("INFO")  # as in a notebook, where the documents run


@steps.step("program.logged")
def logged(call):
    return any(call.argument("text") in text for text in _LINES.texts)
