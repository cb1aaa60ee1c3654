"""What a side's result file says: the times of its steps, under which settings they were taken, and whether two results
may be compared. A result is that of a training program (docs/formats.md) or of Google Benchmark."""

import collections
import dataclasses
import os
import stat

from benchmarks.gate.live.side import ResultError
from benchmarks.gate.recording import USUAL_CPU_FIELD, GateError, Steps
from benchmarks.gate.recording_file import SCHEMAS
from reports import json_file

# Of `context` and of an entry, what has to be the same on both sides, the machine too: a commit changes none of it.
# A field that one side does not have is newer than its program.
CONTEXT_FIELDS = ("workload", "precision", "gpu_math", "options", "data", "cpu_model", "num_cpus", "gpu", "gpus")
ENTRY_FIELDS = (
    "workers",
    "replicas",
    "threads_per_replica",
    "global_batch_size",
    "seed",
    "opt_name",
    "strategy",
    "iterations",
)
# Bytes; a hundred thousand steps have some four million.
LARGEST_FILE = 64 << 20
# Descriptions, which a commit may change; a planted slowdown.
LEFT_OUT = ("data.description", "options.planted")
# Of Google Benchmark's units.
MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
# Seconds by which the CPU time that was counted differs for other reasons: of a shorter run nothing is said.
SLACK = 1.0
# Of the baseline's CPU time, what the candidate may use more outside of its steps.
LARGEST_SHARE = 0.25


@dataclasses.dataclass(frozen=True)
class ResultFile:
    """The file that a side is to write its result to, with what an error about it shows: the side's name, its command
    and the last lines that it wrote to stderr. `is_stored`: nothing ran, the file was there before."""

    path: str
    side: str
    command: tuple
    last_lines: tuple = ()
    is_stored: bool = False

    def no_result(self, reason):
        return self.error(f"{'is' if self.is_stored else 'wrote'} no result ({reason})")

    def error(self, what):
        return ResultError(self.side, what, self.command, self.last_lines)

    def read(self, schema, constants=False):
        """Its JSON, which fits a schema; `constants` as json_file.load has it. Errors: ResultError."""
        self._check()
        try:
            return json_file.load(self.path, os.path.join(SCHEMAS, schema), figures=True, constants=constants)
        except json_file.ReportError as error:
            reason = str(error).replace(self.path, "the file") if os.path.exists(self.path) else "there is none"
            raise self.no_result(reason) from error

    def _check(self):
        """Errors: ResultError for what a reader would wait for or that would fill the memory."""
        if not os.path.exists(self.path):
            return
        found = os.stat(self.path)
        if not stat.S_ISREG(found.st_mode):
            raise self.no_result("the file is no regular one")
        if found.st_size > LARGEST_FILE:
            raise self.error(f"wrote a result of {found.st_size} bytes; wanted at most {LARGEST_FILE}")


@dataclasses.dataclass(frozen=True)
class SideResult:
    """`settings`: name -> value, of all that has to be the same on both sides. `steps`: entry -> Steps, or None where
    the program does not give their times. `compiler`, `commit`: '' where unknown; the commit is that of the folder in
    which the program ran."""

    settings: dict
    steps: dict
    compiler: str
    commit: str = ""


def load(file):
    """The SideResult of a ResultFile in the shape of Google Benchmark (docs/formats.md).

    Errors: ResultError for a file that is missing, is not in that shape, or says that it is incomplete.
    """
    content = file.read("side_result.schema.json")
    context = content["context"]
    if context.get("complete") is False:
        raise file.error("wrote an incomplete result")
    names = [entry["name"] for entry in content["benchmarks"]]
    if len(set(names)) < len(names):
        raise file.error(f"wrote an entry twice ({names})")
    return SideResult(
        _settings(content),
        {entry["name"]: _steps(entry) for entry in content["benchmarks"]},
        str(context.get("compiler", "")),
        str(context.get("commit", "")),
    )


def has_steps(result):
    """Whether a SideResult has the times of all steps."""
    return None not in result.steps.values()


def check_steps(result, side, command):
    """Errors: ResultError for a SideResult without the times of all steps."""
    for name, steps in result.steps.items():
        if steps is None:
            raise ResultError(side, f"has no times of steps of {name} (samples.step_ms, samples.step_cpu_ms)", command)


def check_same(baseline, candidate):
    """Errors: GateError for two SideResults of different entries, settings or numbers of steps."""
    if set(baseline.steps) != set(candidate.steps):
        raise GateError(
            f"[compare] entries: baseline {sorted(baseline.steps)}, candidate {sorted(candidate.steps)}; "
            "wanted the same"
        )
    for name in sorted(baseline.settings.keys() & candidate.settings.keys()):
        _check_equal(name, baseline.settings[name], candidate.settings[name])
    for name, steps in baseline.steps.items():
        if steps and candidate.steps[name]:
            _check_equal(f"steps of {name}", len(steps.cpu), len(candidate.steps[name].cpu))


def _check_equal(name, baseline, candidate):
    if baseline != candidate:
        raise GateError(f"[compare] {name}: baseline {baseline!r}, candidate {candidate!r}; wanted the same")


def _settings(content):
    found = {}
    for field in CONTEXT_FIELDS:
        value = content["context"].get(field)
        nested = value if isinstance(value, dict) else {}
        found.update({f"{field}.{name}": each for name, each in nested.items()})
        if not nested and value is not None:
            found[field] = value
    for entry in content["benchmarks"]:
        found.update({f"{field} of {entry['name']}": entry[field] for field in ENTRY_FIELDS if field in entry})
    return {name: value for name, value in found.items() if name not in LEFT_OUT}


def _steps(entry):
    samples = entry.get("samples", {})
    if "step_ms" not in samples or "step_cpu_ms" not in samples:
        return None
    return Steps(tuple(samples["step_cpu_ms"]), tuple(samples["step_ms"]))


def check_cpu_time(results, counted):
    """Compares the CPU time of the sides' steps with what the kernel counted for their processes.

    Judging steps alone would miss work between the steps, and a result of another run. `results`: side -> SideResult
    with times of steps; `counted`: side -> CPU seconds of the whole process.

        check_cpu_time({'baseline': 4 s in steps, 'candidate': 2 s}, {'baseline': 4.5, 'candidate': 4.5})
        # GateError '[compare] CPU time outside of steps: baseline 0.50 s, candidate 2.50 s; wanted ... at most'

    Errors: GateError for steps of more CPU time than was counted, and for a candidate with far more outside of them
    than the baseline.
    """
    outside = {side: counted[side] - _seconds(results[side]) for side in results}
    for side, seconds in outside.items():
        if seconds < -SLACK:
            raise GateError(
                f"[compare] the {side} reports {_seconds(results[side]):.2f} s of CPU time in its steps, "
                f"and its process used {counted[side]:.2f} s; wanted the times of this run"
            )
    most = outside["baseline"] + max(SLACK, LARGEST_SHARE * counted["baseline"])
    if outside["candidate"] > most:
        raise GateError(
            f"[compare] CPU time outside of steps: baseline {outside['baseline']:.2f} s, candidate "
            f"{outside['candidate']:.2f} s; wanted {most:.2f} s at most, since the gate judges by steps"
        )


def _seconds(result):
    return sum(sum(steps.cpu) for steps in result.steps.values()) / 1000


def load_benchmarks(file, cpu_field=USUAL_CPU_FIELD):
    """The SideResult of a ResultFile that --benchmark_out wrote, a step a repetition, in order; without aggregates.

    `cpu_field`: of a repetition, what is taken as its CPU time: `cpu_time`, or a counter, which has no unit here; only
    its ratios count. Errors: ResultError for a file that is missing or is not in that shape, for a benchmark that says
    that it failed, and where no benchmark ran.
    """
    content = file.read("benchmark_result.schema.json", constants=True)
    repetitions = collections.defaultdict(list)
    for run in content["benchmarks"]:
        if run.get("error_occurred"):
            raise file.error(f"says that {run['name']} failed ({run.get('error_message', '')})")
        if run.get("run_type", "iteration") == "iteration":
            repetitions[run.get("run_name", run["name"])].append(run)
    if not repetitions:
        raise file.error("ran no benchmark")
    names = sorted(repetitions, key=lambda name: _registration(repetitions[name][0]))
    try:
        steps = {name: _repetitions(repetitions[name], cpu_field) for name in names}
    except (KeyError, TypeError, ValueError) as error:
        raise file.error(f"has no real_time, time_unit and {cpu_field} of its benchmarks") from error
    return SideResult({}, steps, str(content["context"].get("compiler", "")))


def check_same_benchmarks(baseline, candidate):
    """Errors: GateError for two results of different benchmarks or numbers of repetitions."""
    _check_equal(
        "repetitions",
        *({name: len(steps.cpu) for name, steps in result.steps.items()} for result in (baseline, candidate)),
    )


def blind_benchmarks(result):
    """Names of those whose CPU time is under a tenth of their real time: others than the timed thread do the work."""
    return [name for name, steps in result.steps.items() if max(steps.cpu) < 0.1 * min(steps.wall)]


def _registration(run):
    """The place of a benchmark in the program's order, which a file in random order does not have."""
    return run.get("family_index", 0), run.get("per_family_instance_index", 0)


def _repetitions(runs, cpu_field):
    runs = sorted(runs, key=lambda run: run.get("repetition_index", 0))
    unit = [MILLISECONDS[run["time_unit"]] for run in runs]
    cpu = [float(run[cpu_field]) * (each if cpu_field == USUAL_CPU_FIELD else 1) for run, each in zip(runs, unit)]
    return Steps(tuple(cpu), tuple(run["real_time"] * each for run, each in zip(runs, unit)))
