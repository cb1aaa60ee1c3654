"""counter.*: state of Python, which tf.py_function reaches from a pipeline."""

import threading

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()


class Counter:
    """For several threads."""

    def __init__(self):
        self.count = 0
        self._lock = threading.Lock()

    def add_one(self):
        with self._lock:
            self.count += 1


@steps.step("counter.create")
def create(call):
    return Counter()


@steps.step("counter.add_one")
def add_one(call):
    tf.py_function(call.find("of").add_one, [], [])


@steps.step("counter.value")
def value(call):
    return call.find("of").count
