"""A verdict for programs: schemas/verdict.schema.json, format 1."""
import json
import math

from benchmarks.gate import calibration_file, ratios
from benchmarks.gate.report import repeat_command, wording

FORMAT = 1


def of(verdict, taken, calibration=None):
    """A Verdict on Recordings as JSON values; those of no number are None. Ratios are shares of the time (0.056: takes
    5.6 % longer), log ratios those of candidate over baseline."""
    return {
        'format': FORMAT,
        'outcome': verdict.outcome.value,
        'exit_status': verdict.exit_status,
        'headline': wording.headline(verdict, taken),
        'tests': [_test(test) for test in verdict.tests],
        'looked_at': verdict.looked_at,
        'quiet': verdict.quiet,
        'recordings': _recordings(taken),
        'machine': taken.machine,
        'baseline': _side(taken.baseline),
        'candidate': _side(taken.candidate),
        'seed': taken.seed,
        'method': taken.method,
        'stopped': taken.stopped,
        'arguments': list(taken.arguments),
        'same_program': taken.is_same_program(),
        'delta': taken.delta,
        'entry': taken.entry,
        'cpu_field': taken.cpu_field,
        'metrics': list(taken.metrics),
        'required': list(taken.required),
        'looks': list(taken.schedule.looks),
        'calibration': calibration and calibration_file.to_json(calibration),
        'repeat': repeat_command.of(taken),
    }


def to_text(verdict, taken, calibration=None):
    """The file's text. The same verdict gives the same bytes."""
    return json.dumps(of(verdict, taken, calibration), indent=2, ensure_ascii=False) + '\n'


def _test(test):
    interval = test.interval
    numbers = (interval.estimate, interval.lower, interval.upper) if interval else None
    ratio, lower, upper = map(math.expm1, numbers) if numbers else [None] * 3
    return {'entry': test.entry, 'metric': test.metric, 'outcome': test.outcome.value, 'ratio': ratio, 'lower': lower,
            'upper': upper, 'delta': test.delta, 'used': test.used, 'reason': test.reason}


def _recordings(taken):
    return [{'first': each.first, 'seconds': each.seconds, 'others_share': pair.share, 'quiet': pair.quiet,
             'log_ratios': [{'entry': entry, 'metric': metric, 'value': pair.values[entry, metric]}
                            for entry in taken.entry_names() for metric in taken.metrics]}
            for each, pair in zip(taken.recordings, ratios.of_all(taken))]


def _side(side):
    return {'command': list(side.command), 'commit': side.commit, 'program': side.program}
