"""A trace of the scaling program: what ui.perfetto.dev needs to show it."""

import itertools
import re

from benchmarks.scaling_program import ScalingProgramTest
from tools import xml_unittest

STEPS = 3  # that are traced
PHASES = ["input_wait", "forward", "backward", "reduce", "apply", "other"]


def spans(trace, pid, tid):
    """(name, category, start, end) in nanoseconds, in the order of the file."""
    return [
        (e["name"], e["cat"], round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000))
        for e in trace["traceEvents"]
        if e["ph"] == "X" and (e["pid"], e["tid"]) == (pid, tid)
    ]


def names(trace, what):
    """(process, track) -> name, of all processes or of all tracks."""
    return {
        (e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == what
    }


def parents(track):
    """Each span with the span around it, None for the outermost. Fails where two
    spans cross."""
    around = []
    for span in track:
        while around and around[-1][3] <= span[2]:
            around.pop()
        assert not around or span[3] <= around[-1][3], (span, around[-1])
        yield span, around[-1] if around else None
        around.append(span)


class TraceTest(ScalingProgramTest):
    def traced(self, *arguments, steps=25):
        run = self.run_scaling(
            "--epochs=1", f"--steps={steps}", "--report=none", "--json=r.json", "--trace=t.json", *arguments
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(self.path("t.json"), run.stdout)
        return self.result("t.json")

    def test_a_process_a_run_and_a_track_a_replica(self):
        trace = self.traced("--replicas=1,2")
        self.assertEqual(
            names(trace, "process_name"),
            {
                (1, 0): "fashion_mnist_cnn, 1 replica, global batch 64",
                (2, 0): "fashion_mnist_cnn, 2 replicas, global batch 128",
            },
        )
        self.assertEqual(
            names(trace, "thread_name"),
            {(1, 0): "replica 0 (CPU:0)", (2, 0): "replica 0 (CPU:0)", (2, 1): "replica 1 (CPU:1)"},
        )
        for event in trace["traceEvents"]:
            self.assertIn(event["ph"], ("M", "X"))
            if event["ph"] == "X":
                self.assertGreaterEqual(event["ts"], 0)
                self.assertGreaterEqual(event["dur"], 0)
        for track in ((1, 0), (2, 0), (2, 1)):
            self.check_nesting(spans(trace, *track))
        self.check_operations(spans(trace, 2, 1))

    def check_nesting(self, track):
        nested = list(parents(track))
        outermost = [span[0] for span, parent in nested if parent is None]
        self.assertEqual(outermost, ["step"] * STEPS)
        for span, parent in nested:
            if span[1] == "phase":
                self.assertEqual(parent[0], "step")
        phases = [span[0] for span, _ in nested if span[1] == "phase"]
        self.assertEqual(phases, PHASES * STEPS)

    def check_operations(self, track):
        """Each kind of operation is in its phase, in the order of the model."""
        nested = list(parents(track))
        phase_of = {
            "layer": "forward",
            "loss": "forward",
            "backward": "backward",
            "communication": "reduce",
            "optimizer": "apply",
        }
        for kind, phase in phase_of.items():
            within = [parent for span, parent in nested if span[1] == kind]
            self.assertTrue(within, kind)
            outer = {p[0] for p in within if p[1] == "phase"}
            self.assertEqual(outer, {phase}, kind)
        self.assertEqual(sum(s[0] == "AllReduce" for s, _ in nested), STEPS)
        layers = [s[0] for s, p in nested if s[1] == "layer" and p[1] == "layer"]
        backward = [
            name for name, _ in itertools.groupby(s[0] for s, _ in nested if s[1] == "backward" and s[0] in layers)
        ]
        once = layers[: len(layers) // STEPS]
        # Each pooling is fused with the convolution before it.
        self.assertEqual(
            [re.sub(r"_\d+$", "", name) for name in once], ["conv2d", "conv2d", "flatten", "dense", "dense"]
        )
        self.assertEqual(layers, once * STEPS)
        self.assertEqual(backward, once[::-1] * STEPS)

    def test_the_all_reduce_tells_its_bytes(self):
        trace = self.traced("--replicas=2")
        reduced = [e["args"]["bytes"] for e in trace["traceEvents"] if e["name"] == "AllReduce"]
        # 121,930 weights of four bytes, on two replicas.
        self.assertEqual(reduced, [487720] * 2 * STEPS)

    def test_what_was_traced_does_not_count(self):
        self.traced("--replicas=1")
        [entry] = self.result("r.json")["benchmarks"]
        self.assertEqual(entry["iterations"], 25 - 20 - STEPS)

    def test_without_the_option_there_is_no_trace(self):
        run = self.run_scaling("--epochs=1", "--steps=1", "--replicas=1", "--report=none", "--json=r.json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.files(), ["r.json"])
        self.assertNotIn("trace", run.stdout)

    def test_a_folder_that_is_not_there_is_an_error_before_the_run(self):
        run = self.run_scaling("--epochs=1", "--trace=no/such/folder/t.json")
        self.assertEqual(run.returncode, 1)
        self.assertIn("no/such/folder/t.json", run.stderr)
        self.assertEqual(run.stdout, "")

    def test_a_run_that_ends_with_its_warm_up_is_refused(self):
        run = self.run_scaling("--epochs=2", "--steps=10", "--replicas=1", "--report=none", "--trace=t.json")
        self.assertEqual(run.returncode, 1)
        self.assertIn("[Trace] the run has 20 steps and 20 of them", run.stderr)
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    xml_unittest.main()
