"""What one program measured of one entry, in one file: figures of one unit, by round where the file has rounds."""

import dataclasses
import datetime
import statistics

from reports.performance import result_file
from reports.performance.entry_name import EntryName

OURS = "lockstep"
# What the programs of result files are called.
PROGRAMS = {
    OURS: "Lockstep",
    "gloo": "Gloo",
    "keras_fit": "Keras, fit",
    "onednn": "oneDNN",
    "pytorch": "PyTorch",
    "pytorch_ddp": "PyTorch DDP",
    "pytorch_single": "PyTorch, one process",
    "tensorflow": "TensorFlow",
    "tensorflow_collective": "TensorFlow collectives",
    "tensorflow_mirrored": "TensorFlow MirroredStrategy",
}


@dataclasses.dataclass(frozen=True)
class Unit:
    """What figures are in. `field`: of an entry; `text`: for people, once divided by `scale`."""

    field: str
    text: str
    scale: float
    more_is_better: bool = True

    def show(self, value):
        """A figure for people: three digits at least, thousands apart."""
        scaled = value / self.scale
        return f"{scaled:,.0f}" if scaled >= 100 else f"{scaled:.3g}"


RATES = (
    Unit("images_per_second", "images/s", 1),
    Unit("batches_per_second", "batches/s", 1),
    Unit("items_per_second", "items/s", 1),
    Unit("algbw", "GB/s", 1e9),
    Unit("moved_bytes_per_second", "GB/s", 1e9),
    Unit("bytes_per_second", "GB/s", 1e9),
)
# In seconds, whatever the entry's time_unit is.
TIME = Unit("real_time", "us", 1e-6, more_is_better=False)


def rate_of(entry):
    """The Unit of the entry's rate, the first of RATES that it has; None where it has none."""
    if "item" in entry and "items_per_second" in entry:
        return Unit("items_per_second", f"{result_file.item(entry)}/s", 1)
    return next((unit for unit in RATES if unit.field in entry), None)




def program_words(program):
    """A program for people. A number of replicas after a slash is left out: the entry's name has it.

    >>> program_words("tensorflow_mirrored/2")
    'TensorFlow MirroredStrategy'
    """
    name, _, replicas = program.partition("/")
    return PROGRAMS.get(name, program) if not replicas or replicas.isdecimal() else program


@dataclasses.dataclass(frozen=True)
class Machine:
    """`key`: equal for machines that count as one; None where the file does not tell, which equals nothing."""

    key: tuple | None
    words: str
    has_gpus: bool = False


@dataclasses.dataclass(frozen=True)
class Source:
    """A result file. `name`: what the report calls it; `date`: with its time zone; `entries`: how many it has.

    `suite` (of a run against peers), `scaling` (weak, strong), `gpu_math` and `planted` (a slowdown, for a test of the
    gate) are None where the file does not tell.
    """

    name: str
    date: datetime.datetime
    machine: Machine
    complete: bool
    suite: str | None
    scaling: str | None
    gpu_math: str | None
    planted: str | None
    entries: int


@dataclasses.dataclass
class Series:
    """`rounds`: round -> its samples, in base units; the round is None where the file has none.

    `turns`: round -> ratios of the peer's time over ours, where they took turns within a round. `entries`: as in
    the file.
    """

    source: Source
    name: EntryName
    program: str
    unit: Unit
    rounds: dict
    entries: list
    turns: dict = dataclasses.field(default_factory=dict)

    @property
    def is_ours(self):
        return self.program == OURS

    @property
    def machine(self):
        """The machine's key; None, which is like no other, where the file does not say what the entry ran on."""
        on_gpu = self.name.by_key.get("device") == "gpu"
        return None if on_gpu and not self.source.machine.has_gpus else self.source.machine.key

    @property
    def configuration(self):
        """What beside the name changes the work: (threads of a replica, arithmetic of GPUs, a planted slowdown)."""
        entry = self.entries[0]
        return entry.get("threads_per_replica", entry.get("threads")), self.source.gpu_math, self.source.planted

    def figures(self):
        """The median of each round where there are several, else the samples."""
        if len(self.rounds) > 1:
            return [statistics.median(samples) for samples in self.rounds.values()]
        return [value for samples in self.rounds.values() for value in samples]

    def spread(self):
        """(lower quartile, median, upper quartile) of the figures, in base units."""
        return result_file.spread(self.figures())
