"""Tests of step_trace.py."""

import unittest

from benchmarks.simulate.step_trace import step_shape
from reports.json_file import ReportError
from tools import xml_unittest


def span(name, start, length, replica=0, training=1, category="phase", **args):
    event = {"ph": "X", "name": name, "cat": category, "ts": start, "dur": length, "pid": training, "tid": replica}
    return event | ({"args": args} if args else {})


def step(start, replica=0, backward=60, sums=((100, 0),), training=1):
    """A step of 100 with a forward pass of 20; `sums`: (bytes, time after the backward pass began)."""
    spans = [
        span("step", start, 100, replica, training, "step"),
        span("forward", start, 20, replica, training),
        span("backward", start + 20, backward, replica, training),
    ]
    return spans + [
        span("AllReduce", start + 20 + after, 5, replica, training, "communication", bytes=size) for size, after in sums
    ]


def shape(*steps):
    return step_shape({"traceEvents": [event for spans in steps for event in spans]})


class StepShapeTest(unittest.TestCase):
    def test_sums_after_the_backward_pass_are_ready_at_its_end(self):
        found = shape(step(0, sums=((400, 62),)))
        self.assertEqual((found.backward_share, found.buckets), (0.6, ((400, 1.0),)))

    def test_buckets_are_ready_when_their_sum_begins(self):
        found = shape(step(0, sums=((100, 15), (300, 45))))
        self.assertEqual(found.buckets, ((100, 0.25), (300, 0.75)))

    def test_the_replica_counts_whose_backward_pass_ends_last(self):
        found = shape(step(0, replica=0, backward=30), step(0, replica=1, backward=70))
        self.assertEqual(found.backward_share, 0.7)

    def test_steps_have_a_median(self):
        found = shape(*(step(200 * turn, backward=share) for turn, share in enumerate((50, 90, 60))))
        self.assertEqual(found.backward_share, 0.6)

    def test_the_training_with_the_most_replicas_counts(self):
        two = [step(0, replica=replica, backward=50, training=2) for replica in (0, 1)]
        self.assertEqual(shape(step(0, backward=80, training=1), *two).backward_share, 0.5)

    def test_what_is_no_training_on_several_replicas_is_refused(self):
        for trace, words in (({}, "no traceEvents"), ({"traceEvents": step(0, sums=())}, "two or more replicas")):
            with self.assertRaisesRegex(ReportError, words):
                step_shape(trace)


if __name__ == "__main__":
    xml_unittest.main()
