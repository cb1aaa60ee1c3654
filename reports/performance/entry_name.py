"""The names of benchmark entries: a path, then labels, as in Train/workload:fashion_mnist_cnn/replicas:2/device:cpu."""

import dataclasses
import functools

# Who computed it: what is compared, not what it was compared at.
WHO = ("implementation", "by")
# What a label means where the name leaves it out.
DEFAULTS = {"precision": "float32", "workers": "1"}
_UNSAID = {"workload", "device", "algorithm", "dtype", "precision", "order", "source", "input", *WHO}
_POWERS = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


@dataclasses.dataclass(frozen=True)
class EntryName:
    """`path`: what is measured (Train, AllReduce); `labels`: ((key, value), ...) in the order of the name."""

    path: str
    labels: tuple

    @functools.cached_property
    def by_key(self):
        return dict(self.labels)

    def __str__(self):
        return "/".join([self.path, *(f"{key}:{value}" for key, value in self.labels)])

    def number(self, key):
        """A label as a whole number; None where the name has none of this key, or another text there."""
        text = self.by_key.get(key, "")
        return int(text) if text.isdecimal() else None

    def without(self, *keys):
        """The name without labels of these keys."""
        return EntryName(self.path, tuple((key, value) for key, value in self.labels if key not in keys))

    @property
    def words(self):
        """For people: 'Train fashion_mnist_cnn, 2 replicas, global batch 128, cpu'. Who computed it is left out."""
        said = [self._said(key, value) for key, value in self.labels if key not in WHO]
        first = [said.pop(0)] if self.labels and self.labels[0][0] == "workload" else []
        return ", ".join([" ".join([self.path, *first]), *said])

    def _said(self, key, value):
        """Replicas of workers are those of each."""
        each = " each" if key == "replicas" and "workers" in self.by_key else ""
        return _in_words(key, value) + each

    def words_of(self, keys):
        """The words of these labels only; those of the whole name where none of them has a value here."""
        return ", ".join(self._said(key, value) for key, value in self.labels if key in keys) or self.words


def parse(text):
    """The EntryName of a text. What Google Benchmark appends of its clock (manual_time, real_time) is left out."""
    parts = text.split("/")
    first = next((i for i, part in enumerate(parts) if ":" in part), len(parts))
    labels = tuple(tuple(part.split(":", 1)) for part in parts[first:] if ":" in part)
    return EntryName("/".join(parts[:first]), labels)


def same_work(one, other, any_path=False):
    """Whether two names are of the same work: labels that both have are equal, but for who computed it.

    The path is, too, unless `any_path`.
    """
    ours, theirs = ({**DEFAULTS, **name.without(*WHO).by_key} for name in (one, other))
    return (any_path or one.path == other.path) and all(ours[key] == theirs[key] for key in ours.keys() & theirs.keys())


def differing_keys(names):
    """Keys of labels that tell some of the names apart, who computed it aside.

    The global batch is left out where the others tell as many names apart without it.
    """

    def apart(keys):
        return len({tuple(name.by_key.get(key) for key in sorted(keys)) for name in names})

    keys = {key for name in names for key in name.by_key if key not in WHO and apart([key]) > 1}
    return keys - {"global_batch_size"} if apart(keys - {"global_batch_size"}) == apart(keys) else keys


def bytes_in_words(count):
    """'100 MiB' for 104857600; only what divides evenly is shortened."""
    for size, unit in _POWERS:
        if count and count % size == 0:
            return f"{count // size} {unit}"
    return f"{count} B"


def _in_words(key, value):
    if key in ("replicas", "workers"):
        return f"{value} {key[:-1]}" + ("" if value == "1" else "s")
    if key == "global_batch_size":
        return f"global batch {value}"
    if key == "bytes" and value.isdecimal():
        return bytes_in_words(int(value))
    if key == "strategy" and value == "none":
        return "without a strategy"
    if key == "algorithm":
        return value.replace("_", " ")
    return value if key in _UNSAID else f"{key.replace('_', ' ')} {value}"
