"""What a gate begins with: the sides, the rules and no recordings; and how each method takes them."""
import dataclasses
import random

from benchmarks.gate.live import methods
from benchmarks.gate.live.process import machine, side_command
from benchmarks.gate.recording import METRICS, SMALLEST_DELTA, USUAL_CPU_FIELD, USUAL_SCHEDULES, Recordings


def recordings(options, baseline, candidate, folder):
    """Recordings without any, of two ChosenSides (revisions/chosen_sides.py) that are started in `folder`."""
    metrics = options.metrics or METRICS
    return Recordings(
        machine=machine.fingerprint(),
        baseline=baseline.side,
        candidate=candidate.side,
        recordings=(),
        seed=random.SystemRandom().randrange(1 << 31) if options.seed is None else options.seed,
        metrics=metrics,
        required=options.require or (('cpu',) if 'cpu' in metrics else metrics),
        delta=options.delta or SMALLEST_DELTA,
        same_program=side_command.same_program(baseline.words, candidate.words, folder),
        entry=options.entry or '',
        cpu_field=options.cpu_field or USUAL_CPU_FIELD)


class Takers:
    """Makes takers (methods.py) of the same sides in the same place, by the options or as recordings were taken."""

    def __init__(self, options, sides, place, patience, warn):
        self._options, self._warn = options, warn
        self._common = {'sides': sides, 'place': place, 'patience': patience}

    def all(self, stored=None):
        """Those to be tried in turn, until the sides know what one asks of them. `stored`: a SideResult as baseline."""
        if stored:
            return [self._new(methods.TakesStored, stored=stored)]
        if self._options.entry is not None:
            return [self._new(methods.TakesBenchmarks, **self._benchmark(self._options))]
        return [self._new(methods.TakesTurns), self._new(methods.TakesProcesses)]

    def of(self, taken, stored=None):
        """The one that takes more of Recordings that are there."""
        kinds = {kind.method: kind for kind in (
            methods.TakesTurns, methods.TakesProcesses, methods.TakesBenchmarks, methods.TakesStored)}
        more = {'benchmark': self._benchmark(taken), 'stored': {'stored': stored}}.get(taken.method, {})
        return kinds[taken.method](arguments=taken.arguments, schedule=taken.schedule, **self._common, **more)

    def _new(self, kind, **more):
        words = kind.usual_words if self._options.arguments is None else self._options.arguments
        return kind(arguments=side_command.words(words, '--arguments'), schedule=_schedule(self._options, kind.method),
                    **self._common, **more)

    def _benchmark(self, source):
        return {'entry': source.entry, 'cpu_field': source.cpu_field or USUAL_CPU_FIELD, 'warn': self._warn}


def _schedule(options, method):
    given = {name: getattr(options, name) for name in ('turn', 'warmup', 'looks')}
    schedule = dataclasses.replace(
        USUAL_SCHEDULES[method], **{name: value for name, value in given.items() if value is not None})
    return dataclasses.replace(schedule, behind_switch=min(schedule.behind_switch, schedule.turn - 1))
