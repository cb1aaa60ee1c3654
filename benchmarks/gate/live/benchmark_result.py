"""What a program of Google Benchmark wrote: the times of each benchmark's repetitions."""
import collections
import dataclasses
import os

from benchmarks.gate.live import side_result
from benchmarks.gate.live.process import side_error
from benchmarks.gate.recording import USUAL_CPU_FIELD, GateError, Steps

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'schemas', 'benchmark_result.schema.json')
MILLISECONDS = {'ns': 1e-6, 'us': 1e-3, 'ms': 1.0, 's': 1e3}


@dataclasses.dataclass(frozen=True)
class BenchmarkResult:
    """`steps`: benchmark -> Steps, a step a repetition, in order. `compiler`: '' where it is unknown."""
    steps: dict
    compiler: str


def load(path, side, command, last_lines=(), cpu_field=USUAL_CPU_FIELD):
    """The BenchmarkResult of a file that --benchmark_out wrote; aggregates are left out.

    `cpu_field`: of a repetition, what is taken as its CPU time: `cpu_time`, or a counter, which has no unit here; only
    its ratios count. Errors: ResultError for a file that is missing or is not in that shape, for a benchmark that says
    that it failed, and where no benchmark ran.
    """
    content = side_result.read_json(path, SCHEMA, side, command, last_lines, constants=True)
    repetitions = collections.defaultdict(list)
    for run in content['benchmarks']:
        if run.get('error_occurred'):
            what = f'says that {run["name"]} failed ({run.get("error_message", "")})'
            raise side_error.ResultError(side, what, command, last_lines)
        if run.get('run_type', 'iteration') == 'iteration':
            repetitions[run.get('run_name', run['name'])].append(run)
    if not repetitions:
        raise side_error.ResultError(side, 'ran no benchmark', command, last_lines)
    names = sorted(repetitions, key=lambda name: _registration(repetitions[name][0]))
    try:
        steps = {name: _steps(repetitions[name], cpu_field) for name in names}
    except (KeyError, TypeError, ValueError) as error:
        what = f'tells no real_time, time_unit and {cpu_field} of its benchmarks'
        raise side_error.ResultError(side, what, command, last_lines) from error
    return BenchmarkResult(steps, str(content['context'].get('compiler', '')))


def check_same(baseline, candidate):
    """Errors: GateError for two BenchmarkResults of different benchmarks or numbers of repetitions."""
    counts = [{name: len(steps.cpu) for name, steps in result.steps.items()} for result in (baseline, candidate)]
    if counts[0] != counts[1]:
        raise GateError(f'[compare] repetitions: baseline {counts[0]}, candidate {counts[1]}; wanted the same')


def blind_benchmarks(result):
    """Names of those whose CPU time is under a tenth of their real time: others than the timed thread do the work."""
    return [name for name, steps in result.steps.items() if max(steps.cpu) < 0.1 * min(steps.wall)]


def _registration(run):
    """The place of a benchmark in the program's order, which a file in random order does not have."""
    return run.get('family_index', 0), run.get('per_family_instance_index', 0)


def _steps(runs, cpu_field):
    runs = sorted(runs, key=lambda run: run.get('repetition_index', 0))
    unit = [MILLISECONDS[run['time_unit']] for run in runs]
    cpu = [float(run[cpu_field]) * (each if cpu_field == USUAL_CPU_FIELD else 1) for run, each in zip(runs, unit)]
    return Steps(tuple(cpu), tuple(run['real_time'] * each for run, each in zip(runs, unit)))
