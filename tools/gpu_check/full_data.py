"""Whether a folder holds the full data, as `//image_datasets:fetch` leaves it."""

import os

DATASET = "fashion_mnist"
BESIDE = "datasets"  # where a package has it


def find(folder, names):
    """The dataset's files, NAME.gz or NAME, and the names of those that are missing."""
    found, missing = [], []
    for name in names:
        path = os.path.join(folder, DATASET, name)
        there = [candidate for candidate in (path + ".gz", path) if os.path.isfile(candidate)]
        found += there[:1]
        missing += [] if there else [name]
    return found, missing


def problem(folder, missing):
    """In words, for one who named the folder."""
    return "%s has no %s; ./bazelw run //image_datasets:fetch brings them" % (
        os.path.join(folder, DATASET),
        ", ".join(name + ".gz" for name in missing),
    )
