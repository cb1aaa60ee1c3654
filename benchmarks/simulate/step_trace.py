"""What a step is made of, from a trace of //benchmarks:scaling (--trace).

    shape = step_shape(json_file.load("trace.json", figures=True))
    shape.buckets          # ((487720, 1.0),): summed when the whole backward pass is over
    shape.backward_share   # 0.63 of a step

The training of the trace with the most replicas counts, and of a step the replica whose backward pass ends last. Medians
over the steps.
"""

import statistics

from benchmarks.simulate.series import StepShape
from reports.json_file import ReportError

_PHASES = ("step", "forward", "backward")


def step_shape(trace: dict) -> StepShape:
    """Errors: ReportError for what is no trace of a training on several replicas."""
    events = trace.get("traceEvents")
    if not isinstance(events, list):
        raise ReportError("[step_shape] the trace has no traceEvents: it is one of //benchmarks:scaling --trace?")
    spans = [event for event in events if event.get("ph") == "X"]
    trainings = {event["pid"] for event in spans if event["name"] == "AllReduce"}
    steps = [step for pid in _with_most_replicas(trainings, spans) for step in _steps(pid, spans)]
    if not steps:
        raise ReportError("[step_shape] no step of the trace sums gradients: trace a training on two or more replicas")
    counts = [len(step["sums"]) for step in steps]
    whole = [step for step in steps if len(step["sums"]) == max(counts)]
    return StepShape(
        backward_share=statistics.median(step["backward"]["dur"] / step["step"]["dur"] for step in whole),
        buckets=tuple(
            (
                statistics.median(step["sums"][place]["args"]["bytes"] for step in whole),
                statistics.median(_ready(step, step["sums"][place]) for step in whole),
            )
            for place in range(max(counts))
        ),
    )


def _with_most_replicas(trainings, spans):
    """The process of that training, in a list; an empty one where there is none."""
    replicas = {pid: len({span["tid"] for span in spans if span["pid"] == pid}) for pid in trainings}
    return sorted(replicas, key=lambda pid: (replicas[pid], -pid))[-1:]


def _steps(pid, spans):
    """Of each step the last replica's spans: {"step": ..., "forward": ..., "backward": ..., "sums": [...]}."""
    replicas = {}
    for span in sorted((span for span in spans if span["pid"] == pid), key=lambda span: span["ts"]):
        replicas.setdefault(span["tid"], []).append(span)
    by_replica = [_steps_of_replica(of_one) for of_one in replicas.values()]
    return [max(turn, key=lambda step: _end(step["backward"])) for turn in zip(*by_replica)]


def _steps_of_replica(spans):
    steps = []
    for span in spans:
        if span["name"] == "step":
            steps.append({"step": span, "sums": []})
        elif steps and span["name"] in _PHASES and span.get("cat") == "phase":
            steps[-1][span["name"]] = span
        elif steps and span["name"] == "AllReduce" and "bytes" in span.get("args", {}):
            steps[-1]["sums"].append(span)
    return [step for step in steps if step["sums"] and all(name in step for name in _PHASES)]


def _ready(step, reduce):
    """When the bucket was there, as a share of the backward pass."""
    backward = step["backward"]
    return min(1.0, max(0.0, (reduce["ts"] - backward["ts"]) / backward["dur"]))


def _end(span):
    return span["ts"] + span["dur"]
