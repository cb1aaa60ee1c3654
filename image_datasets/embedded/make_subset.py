#!/usr/bin/env python3
"""Cuts the embedded subset out of Fashion-MNIST.

    python3 image_datasets/embedded/make_subset.py ~/.cache/lockstep/datasets/fashion_mnist image_datasets/embedded

Of each of the ten classes the first 1,000 training and the first 200 test examples are taken, and they
stay in the published order. The same input gives the same bytes (no time stamp, fixed compression).
"""

import gzip
import os
import struct
import sys

CLASSES = 10
PER_CLASS = {"train": 1000, "t10k": 200}


def read(folder, name):
    with gzip.open(os.path.join(folder, name + ".gz")) as file:
        return file.read()


def write(folder, name, content):
    with open(os.path.join(folder, name + ".gz"), "wb") as file:
        with gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=9, mtime=0) as archive:
            archive.write(content)


def first_of_each_class(labels, count):
    left = [count] * CLASSES
    chosen = []
    for row, label in enumerate(labels):
        if left[label] > 0:
            left[label] -= 1
            chosen.append(row)
    if any(left):
        raise SystemExit("[make_subset] not enough examples of each class")
    return chosen


def cut(source, target, split):
    images = read(source, split + "-images-idx3-ubyte")
    labels = read(source, split + "-labels-idx1-ubyte")
    _, _, height, width = struct.unpack(">4I", images[:16])
    rows = first_of_each_class(labels[8:], PER_CLASS[split])
    size = height * width
    pixels = b"".join(images[16 + row * size : 16 + (row + 1) * size] for row in rows)
    write(target, split + "-images-idx3-ubyte", struct.pack(">4I", 0x803, len(rows), height, width) + pixels)
    write(
        target,
        split + "-labels-idx1-ubyte",
        struct.pack(">2I", 0x801, len(rows)) + bytes(labels[8 + row] for row in rows),
    )


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    for split in PER_CLASS:
        cut(sys.argv[1], sys.argv[2], split)


if __name__ == "__main__":
    main()
