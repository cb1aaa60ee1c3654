"""What a side's result file says: the times of its steps, and under which settings they were taken."""
import dataclasses
import os
import stat

from benchmarks.gate.live.process import side_error
from benchmarks.gate.recording import GateError, Steps
from reports import json_file

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'schemas', 'side_result.schema.json')
# Of `context` and of an entry, what has to be the same on both sides, the machine too: a commit changes none of it. Fields of which one
# side knows nothing came later than its program.
CONTEXT_FIELDS = ('workload', 'precision', 'gpu_math', 'options', 'data', 'cpu_model', 'num_cpus', 'gpu', 'gpus')
ENTRY_FIELDS = ('workers', 'replicas', 'threads_per_replica', 'global_batch_size', 'seed', 'opt_name', 'strategy',
                'iterations')
# Bytes; a hundred thousand steps have some four million.
LARGEST_FILE = 64 << 20
# Words for people, which a commit may change; a slowdown that was planted to be found.
LEFT_OUT = ('data.description', 'options.planted')


@dataclasses.dataclass(frozen=True)
class SideResult:
    """`settings`: name -> value, of all that has to be the same on both sides. `steps`: entry -> Steps, or None where
    the program does not tell their times. `compiler`, `commit`: '' where unknown; the commit is that of the folder in
    which the program ran."""
    settings: dict
    steps: dict
    compiler: str
    commit: str = ''


def load(path, side, command, last_lines=()):
    """The SideResult of a file in the shape of Google Benchmark (docs/formats.md).

    Errors: ResultError for a file that is missing, is not in that shape, or says that it is incomplete.
    """
    content = read_json(path, SCHEMA, side, command, last_lines)
    if content['context'].get('complete') is False:
        raise side_error.ResultError(side, 'wrote an incomplete result', command, last_lines)
    names = [entry['name'] for entry in content['benchmarks']]
    if len(set(names)) < len(names):
        raise side_error.ResultError(side, f'wrote an entry twice ({names})', command, last_lines)
    context = content['context']
    return SideResult(_settings(content), {entry['name']: _steps(entry) for entry in content['benchmarks']},
                      str(context.get('compiler', '')), str(context.get('commit', '')))


def read_json(path, schema, side, command, last_lines, constants=False):
    """A side's file that fits a schema; `constants` as json_file.load has it. Errors: ResultError."""
    _check_file(path, side, command, last_lines)
    try:
        return json_file.load(path, schema, figures=True, constants=constants)
    except json_file.ReportError as error:
        reason = str(error).replace(path, 'the file') if os.path.exists(path) else 'there is none'
        raise side_error.ResultError(side, f'wrote no result ({reason})', command, last_lines) from error


def _check_file(path, side, command, last_lines):
    """Errors: ResultError for what a reader would wait for or that would fill the memory."""
    if not os.path.exists(path):
        return
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise side_error.ResultError(side, 'wrote no result (the file is no regular one)', command, last_lines)
    if found.st_size > LARGEST_FILE:
        what = f'wrote a result of {found.st_size} bytes; wanted at most {LARGEST_FILE}'
        raise side_error.ResultError(side, what, command, last_lines)


def has_steps(result):
    """Whether a SideResult has the times of all steps."""
    return None not in result.steps.values()


def check_steps(result, side, command):
    """Errors: ResultError for a SideResult without the times of all steps."""
    for name, steps in result.steps.items():
        if steps is None:
            raise side_error.ResultError(
                side, f'tells no times of steps of {name} (samples.step_ms, samples.step_cpu_ms)', command)


def check_same(baseline, candidate):
    """Errors: GateError for two SideResults of different entries, settings or numbers of steps."""
    if set(baseline.steps) != set(candidate.steps):
        raise GateError(f'[compare] entries: baseline {sorted(baseline.steps)}, candidate {sorted(candidate.steps)}; '
                        'wanted the same')
    for name in sorted(baseline.settings.keys() & candidate.settings.keys()):
        _check_equal(name, baseline.settings[name], candidate.settings[name])
    for name, steps in baseline.steps.items():
        if steps and candidate.steps[name]:
            _check_equal(f'steps of {name}', len(steps.cpu), len(candidate.steps[name].cpu))


def _check_equal(name, baseline, candidate):
    if baseline != candidate:
        raise GateError(f'[compare] {name}: baseline {baseline!r}, candidate {candidate!r}; wanted the same')


def _settings(content):
    found = {}
    for field in CONTEXT_FIELDS:
        value = content['context'].get(field)
        nested = value if isinstance(value, dict) else {}
        found.update({f'{field}.{name}': each for name, each in nested.items()})
        if not nested and value is not None:
            found[field] = value
    for entry in content['benchmarks']:
        found.update({f'{field} of {entry["name"]}': entry[field] for field in ENTRY_FIELDS if field in entry})
    return {name: value for name, value in found.items() if name not in LEFT_OUT}


def _steps(entry):
    samples = entry.get('samples', {})
    if 'step_ms' not in samples or 'step_cpu_ms' not in samples:
        return None
    return Steps(tuple(samples['step_cpu_ms']), tuple(samples['step_ms']))
