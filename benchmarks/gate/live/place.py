"""Where a gate's sides run: their files, their surroundings, their deadlines."""
import contextlib
import dataclasses
import os

from benchmarks.gate.live.process import machine
from benchmarks.gate.live.process.side_process import Deadlines, last_lines


@dataclasses.dataclass(frozen=True)
class Place:
    """`folder`: for results and last words, removed by whoever made it. `options`: subprocess.Popen's for both sides.
    `stat`: where the machine's load is read."""
    folder: str
    options: dict
    deadlines: Deadlines = Deadlines()
    stat: str = machine.STAT

    def result(self, side):
        """The path that a side is to write its result to."""
        return os.path.join(self.folder, f'{side}.json')

    def start(self, kind, side, command, patience):
        """A started process of the given class."""
        return kind(side, command, self._log(side), patience, self.deadlines, **self.options)

    def read(self, load, side, command):
        """What `load(path, side, command, last_lines)` makes of a side's result."""
        return load(self.result(side), side, command, last_lines(self._log(side)))

    def remove_result(self, side):
        """So that none of an earlier recording is taken for one of the next."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.result(side))

    def _log(self, side):
        return os.path.join(self.folder, f'{side}.stderr')
