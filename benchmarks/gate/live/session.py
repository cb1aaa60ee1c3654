"""One use of the gate: what it needs is looked at first, then it records, then it judges. Only results stay.

A Session is what a gate has while it runs: its sides, the place where they run, its time.
"""

import contextlib
import dataclasses
import math
import os
import random
import tempfile

from benchmarks.gate import recording_file
from benchmarks.gate.calibration import CalibrationStore
from benchmarks.gate.live import gate_run, programs, recorder, side_result
from benchmarks.gate.live.gate_run import GateRun
from benchmarks.gate.live.recorder import Place
from benchmarks.gate.live.side import UnknownOption
from benchmarks.gate.process import machine
from benchmarks.gate.process.budget import Budget, Interruption, Progress
from benchmarks.gate.recording import METRICS, SMALLEST_DELTA, USUAL_CPU_FIELD, USUAL_SCHEDULES, Recordings
from command_line.user_paths import surroundings, users_folder

RECORDERS = {
    kind.method: kind
    for kind in (recorder.PacedRecorder, recorder.FreshRecorder, recorder.BenchmarkRecorder, recorder.StoredRecorder)
}


def run(options, environment, record):
    """Records as the options (gate.parse) say; (Verdict, Recordings, Calibration or None).

    `record`: an OutputFile for what was recorded, written however it ends. Errors: those of GateRun.run, of an earlier
    gate in that file and of CalibrationStore; GateError for commands that are none and commits that do not build.
    """
    with opened(options, environment) as session:
        stored = _stored(session)
        taken, find_calibration = _begin(session, stored, environment)
        if options.seed is None and not taken.recordings:
            session.progress.say(f"seed {taken.seed}")
        gate = session.gate(taken, find_calibration)
        try:
            recorders = [session.recorder_of(taken, stored)] if taken.recordings else session.recorders(stored)
            return session.run(gate, recorders), gate.taken, gate.calibration
        finally:
            if gate.taken.recordings:
                record.write(recording_file.to_text(gate.taken, gate.calibration))


def _stored(session):
    """The SideResult of a baseline that is no program but the result of an earlier run; None where it is a program.

    Errors: ResultError for a file that is none, or has no times of steps (--step_times).
    """
    words = session.chosen["baseline"].words
    if not programs.is_result(words, session.folder):
        return None
    file = side_result.ResultFile(os.path.join(session.folder, words[0]), "baseline", words, is_stored=True)
    result = side_result.load(file)
    side_result.check_steps(result, "baseline", words)
    return result


def _begin(session, stored, environment):
    """(Recordings, what finds a calibration for them): none as yet, or those of an earlier gate that is to go on."""
    options, taken = session.options, session.nothing_yet()
    if stored:
        commit = stored.commit.replace("unknown", "")
        taken = dataclasses.replace(taken, baseline=dataclasses.replace(taken.baseline, commit=commit))
    path = options.record and os.path.join(session.folder, options.record)
    if options.again:
        earlier, calibration = gate_run.go_on(path, options, taken)
        return earlier, lambda _: calibration
    if path:
        gate_run.check_replaceable(path, taken)
    if stored:
        return taken, lambda _: None
    return taken, CalibrationStore(options.calibration, environment, session.folder, taken.machine).find


@dataclasses.dataclass(frozen=True)
class Session:
    """`chosen`: side -> ChosenSide. `folder`: the user's."""

    options: object
    chosen: dict
    folder: str
    place: Place
    budget: Budget
    progress: Progress

    def nothing_yet(self):
        """Recordings without any: the sides, the machine and the rules."""
        options, baseline, candidate = self.options, self.chosen["baseline"], self.chosen["candidate"]
        metrics = options.metrics or METRICS
        return Recordings(
            machine=machine.fingerprint(),
            baseline=baseline.side,
            candidate=candidate.side,
            recordings=(),
            seed=random.SystemRandom().randrange(1 << 31) if options.seed is None else options.seed,
            metrics=metrics,
            required=options.require or (("cpu",) if "cpu" in metrics else metrics),
            delta=options.delta or SMALLEST_DELTA,
            same_program=programs.same_program(baseline.words, candidate.words, self.folder),
            entry=options.entry or "",
            cpu_field=options.cpu_field or USUAL_CPU_FIELD,
        )

    def recorders(self, stored=None):
        """Those to try in turn, until the sides support one. `stored`: a SideResult as baseline."""
        if stored:
            return [self._new("stored", stored)]
        return [self._new(method) for method in (("paced", "fresh") if self.options.entry is None else ("benchmark",))]

    def _new(self, method, stored=None):
        kind, given = RECORDERS[method], self.options.arguments
        return self._recorder(
            method,
            self.options,
            stored,
            schedule=_schedule(self.options, method),
            arguments=programs.words(kind.usual_words if given is None else given, "--arguments"),
        )

    def recorder_of(self, taken, stored=None, candidate=None):
        """The one that adds to Recordings that are there. `candidate`: other words than its own."""
        return self._recorder(
            taken.method, taken, stored, candidate, arguments=taken.arguments, schedule=taken.schedule
        )

    def _recorder(self, method, source, stored, candidate=None, **how):
        """`source`: of a benchmark's `entry` and `cpu_field`."""
        sides = {side: each.words for side, each in self.chosen.items()}
        if candidate:
            sides["candidate"] = candidate
        more = {
            "benchmark": {
                "entry": source.entry,
                "cpu_field": source.cpu_field or USUAL_CPU_FIELD,
                "warn": self.progress.say,
            },
            "stored": {"stored": stored},
        }.get(method, {})
        return RECORDERS[method](sides=sides, place=self.place, budget=self.budget, **how, **more)

    def gate(self, taken, find_calibration, **more):
        return GateRun(taken, find_calibration, self.budget, self.progress, **more)

    def run(self, gate, recorders):
        """The Verdict of a GateRun by the first recorder whose options both sides know. Errors: as GateRun.run."""
        for each in recorders[:-1]:
            try:
                return gate.run(each)
            except UnknownOption as error:
                if gate.taken.recordings:
                    raise
                last = f" ({error.last_lines[-1]})" if error.last_lines else ""
                self.progress.say(f"the {error.side} seems to know no --pace{last}: whole processes instead of turns")
        return gate.run(recorders[-1])


@contextlib.contextmanager
def opened(options, environment=os.environ):
    """A Session by the options (gate.parse). Building commits takes nothing of its time.

    Errors: GateError for commands that are none and commits that do not build; Interrupted.
    """
    user, progress = users_folder(environment), Progress()
    with Interruption() as interruption, tempfile.TemporaryDirectory(prefix="lockstep-gate-") as folder:
        chosen = programs.choose(options, user, folder, Budget(math.inf, interruption))
        place = Place(folder, surroundings(environment))
        yield Session(options, chosen, user, place, Budget(options.budget, interruption), progress)


def _schedule(options, method):
    given = {name: getattr(options, name) for name in ("turn", "warmup", "looks")}
    schedule = dataclasses.replace(
        USUAL_SCHEDULES[method], **{name: value for name, value in given.items() if value is not None}
    )
    return dataclasses.replace(schedule, behind_switch=min(schedule.behind_switch, schedule.turn - 1))
