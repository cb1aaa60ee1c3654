"""How recordings can be taken: for each method its schedule, the words that commands get, and what takes one."""
import dataclasses

from benchmarks.gate.live import paced_recording
from benchmarks.gate.recording import SIDES, Schedule

# Words that both commands get unless the user names others.
PACED_ARGUMENTS = '--data=embedded --epochs=2 --steps=75 --replicas=1,2'


@dataclasses.dataclass(frozen=True)
class TakesTurns:
    """Method 'paced': two processes that know --pace. `sides`: side -> words of its command."""
    sides: dict
    arguments: tuple
    schedule: Schedule
    place: paced_recording.Place
    patience: object

    def take(self, first, tell):
        """(Recording, compiler), as paced_recording.take; `tell` is called with the number of turns so far."""
        commands = {side: (*self.sides[side], f'--pace={self.schedule.turn}', f'--json={self.place.file(side, "json")}',
                           '--report=none', *self.arguments) for side in SIDES}
        return paced_recording.take(commands, first, self.schedule.turn, self.place, self.patience, tell)
