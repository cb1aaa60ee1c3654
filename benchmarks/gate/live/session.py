"""What one use of the gate has while it runs: its sides, the place where they run, its time. Nothing stays behind."""
import contextlib
import dataclasses
import math
import os
import tempfile

from benchmarks.gate.live import new_gate
from benchmarks.gate.live.gate_run import GateRun
from benchmarks.gate.live.place import Place
from benchmarks.gate.live.process import side_command
from benchmarks.gate.live.process.patience import Interruption, Patience
from benchmarks.gate.live.process.progress import Progress
from benchmarks.gate.live.process.side_error import UnknownOption
from benchmarks.gate.revisions import chosen_sides


@dataclasses.dataclass(frozen=True)
class Session:
    """`chosen`: side -> ChosenSide. `folder`: the user's."""
    options: object
    chosen: dict
    folder: str
    place: Place
    patience: Patience
    progress: Progress

    def nothing_yet(self):
        """Recordings without any."""
        return new_gate.recordings(self.options, self.chosen['baseline'], self.chosen['candidate'], self.folder)

    def takers(self, candidate=None):
        """Takers of the sides, or of another candidate (words)."""
        sides = {side: each.words for side, each in self.chosen.items()}
        if candidate:
            sides['candidate'] = candidate
        return new_gate.Takers(self.options, sides, self.place, self.patience, self.progress.say)

    def gate(self, taken, find_calibration, **more):
        return GateRun(taken, find_calibration, self.patience, self.progress, **more)

    def run(self, gate, takers):
        """The Verdict of a GateRun by the first taker whose options both sides know. Errors: as GateRun.run."""
        for taker in takers[:-1]:
            try:
                return gate.run(taker)
            except UnknownOption as error:
                if gate.taken.recordings:
                    raise
                last = f' ({error.last_lines[-1]})' if error.last_lines else ''
                self.progress.say(f'the {error.side} seems to know no --pace{last}: whole processes instead of turns')
        return gate.run(takers[-1])


@contextlib.contextmanager
def opened(options, environment=os.environ):
    """A Session by the options (gate_options.parse). Building commits takes nothing of its time.

    Errors: GateError for commands that are none and commits that do not build; Interrupted.
    """
    user, progress = side_command.users_folder(environment), Progress()
    with Interruption() as interruption, tempfile.TemporaryDirectory(prefix='lockstep-gate-') as folder:
        chosen = chosen_sides.choose(options, user, folder, Patience(math.inf, interruption))
        place = Place(folder, side_command.surroundings(environment))
        yield Session(options, chosen, user, place, Patience(options.budget, interruption), progress)
