"""How recordings can be taken: of each method its usual schedule and words, and what takes one recording.

A taker has `method`, `arguments` (words that both commands get), `schedule` (it may change with the first recording)
and `take(first, tell)`, which gives (Recording, compiler) and calls `tell` with the number of turns so far.
"""
import dataclasses
import functools

from benchmarks.gate.live import benchmark_result, cpu_account, paced_recording, side_result, whole_recording
from benchmarks.gate.live.process.side_error import UnknownOption
from benchmarks.gate.recording import SIDES, USUAL_CPU_FIELD, Half, Recording, Schedule, Steps

# Of //benchmarks:scaling, unless the user names others.
PACED_WORDS = '--data=embedded --epochs=2 --steps=75 --replicas=1,2'
FRESH_WORDS = '--data=embedded --epochs=1 --steps=75 --replicas=1,2'
# Short repetitions: that they are many makes them exact.
BENCHMARK_WORDS = '--benchmark_min_time=0.05'
# Where a program tells no times of steps, its whole process is one.
WHOLE = 'process'


@dataclasses.dataclass
class Taker:
    """`sides`: side -> words of its command. `schedule`: the method's own unless the user asks for another."""
    sides: dict
    arguments: tuple
    schedule: Schedule
    place: object
    patience: object

    def command(self, side, *words):
        return (*self.sides[side], *words, *self.arguments)

    def result_words(self, side):
        return f'--json={self.place.result(side)}', '--report=none'

    def count_whole(self, entries):
        """All steps of an entry become one turn, its beginning dropped: nothing is handed over within it."""
        steps = len(next(iter(entries.values())).cpu)
        dropped = max(self.schedule.warmup, self.schedule.behind_switch)
        self.schedule = dataclasses.replace(self.schedule, turn=steps, warmup=0, behind_switch=dropped)


class TakesTurns(Taker):
    """Two processes that know --pace."""
    method, usual_words = 'paced', PACED_WORDS

    def take(self, first, tell):
        commands = {side: self.command(side, f'--pace={self.schedule.turn}', *self.result_words(side))
                    for side in SIDES}
        return paced_recording.take(commands, first, self.schedule.turn, self.place, self.patience, tell)


class TakesProcesses(Taker):
    """A new process for each side and recording, for programs that know no --pace.

    Where both know --step_times, the median of an entry's steps behind the warm-up counts, otherwise the whole process.
    """
    method, usual_words = 'fresh', FRESH_WORDS
    step_words = ('--step_times',)

    def take(self, first, tell):
        try:
            runs = self._run(first)
        except UnknownOption:
            if not self.step_words:
                raise
            self.step_words = ()
            runs = self._run(first)
        results = [runs[side].result for side in SIDES]
        side_result.check_same(*results)
        if self.step_words and all(map(side_result.has_steps, results)):
            cpu_account.check({side: runs[side].result for side in SIDES}, {side: runs[side].own for side in SIDES})
            entries = {side: runs[side].result.steps for side in SIDES}
            self.count_whole(entries['baseline'])
        else:
            entries = {side: {WHOLE: Steps((1000 * runs[side].own,), (1000 * runs[side].elapsed,))} for side in SIDES}
            self._count_processes()
        return Recording(first, **{side: runs[side].half(entries[side]) for side in SIDES}), results[0].compiler

    def _run(self, first):
        commands = {side: self.command(side, *self.step_words, *self.result_words(side)) for side in SIDES}
        return whole_recording.run_both(commands, first, self.place, self.patience, side_result.load)

    def _count_processes(self):
        self.step_words = ()
        self.schedule = dataclasses.replace(self.schedule, turn=1, warmup=0, behind_switch=0)


@dataclasses.dataclass
class TakesBenchmarks(Taker):
    """Programs of Google Benchmark, a process for each side and recording; a step is a repetition.

    `entry`: the regular expression of benchmarks to run. `cpu_field`: as benchmark_result.load has it. `warn` is called
    with a text where CPU time says little.
    """
    method, usual_words = 'benchmark', BENCHMARK_WORDS

    entry: str
    cpu_field: str
    warn: object

    def take(self, first, tell):
        commands = {side: self.command(
            side, f'--benchmark_filter={self.entry}', f'--benchmark_repetitions={self.schedule.turn}',
            f'--benchmark_out={self.place.result(side)}', '--benchmark_out_format=json') for side in SIDES}
        load = functools.partial(benchmark_result.load, cpu_field=self.cpu_field)
        runs = whole_recording.run_both(commands, first, self.place, self.patience, load)
        benchmark_result.check_same(*(runs[side].result for side in SIDES))
        self._warn_once(benchmark_result.blind_benchmarks(runs['baseline'].result))
        halves = {side: runs[side].half(runs[side].result.steps) for side in SIDES}
        return Recording(first, **halves), runs['baseline'].result.compiler

    def _warn_once(self, blind):
        if blind and self.cpu_field == USUAL_CPU_FIELD:
            self.warn(f'the CPU time of {", ".join(blind)} is under a tenth of the real time: it is that of one '
                      'thread, and others do the work; --cpu_field names a counter that has it')
        self.warn = lambda text: None


@dataclasses.dataclass
class TakesStored(Taker):
    """The candidate's processes against a result that the baseline left some day (a SideResult).

    Nothing is interleaved, and verdict.judge makes no more of it than a suspicion.
    """
    method, usual_words = 'stored', FRESH_WORDS

    stored: object

    def take(self, first, tell):
        command = self.command('candidate', '--step_times', *self.result_words('candidate'))
        run = whole_recording.run('candidate', command, self.place, self.patience, side_result.load)
        side_result.check_steps(run.result, 'candidate', command)
        side_result.check_same(self.stored, run.result)
        self.count_whole(self.stored.steps)
        return Recording('baseline', Half(self.stored.steps, 0.0, 0.0, None), run.half(run.result.steps)), ''
