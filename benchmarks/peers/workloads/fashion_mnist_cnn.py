"""The parts of the workload `fashion_mnist_cnn` that the peers' scripts share.

The model is the custom-training document's: Conv2D(32, 3, relu), MaxPooling2D,
Conv2D(64, 3, relu), MaxPooling2D, Flatten, Dense(64, relu), Dense(10); sparse
categorical cross-entropy from logits; Adam(1e-3, epsilon 1e-7); 64 images a replica;
float32; images divided by 255; shuffled. A step is the whole of it, input included.
"""

import gzip
import math
import pathlib
import struct

import numpy

NAME = "fashion_mnist_cnn"
NEEDS_DATA = True
BATCH_SIZE_PER_REPLICA = 64
LEARNING_RATE = 1e-3
EPSILON = 1e-7


def read_idx(path):
    """The bytes of a gzipped IDX file, in the shape that its header states."""
    content = gzip.decompress(path.read_bytes())
    zeros, kind, rank = struct.unpack(">HBB", content[:4])
    if zeros != 0 or kind != 8:
        raise ValueError(f"{path}: not an IDX file of bytes: {content[:4].hex()}")
    shape = struct.unpack(f">{rank}I", content[4 : 4 + 4 * rank])
    if len(content) != 4 + 4 * rank + math.prod(shape):
        raise ValueError(f"{path}: {len(content)} bytes do not hold {shape}")
    return numpy.frombuffer(content, numpy.uint8, offset=4 + 4 * rank).reshape(shape)


def load(folder, part):
    """Images as float32 [n, 28, 28, 1] in [0, 1] and labels as int64 [n].

    The files are in the folder or in its folder fashion_mnist.
    """
    fashion_mnist = pathlib.Path(folder, "fashion_mnist")
    if not fashion_mnist.is_dir():
        fashion_mnist = pathlib.Path(folder)
    images = read_idx(fashion_mnist / f"{part}-images-idx3-ubyte.gz")
    labels = read_idx(fashion_mnist / f"{part}-labels-idx1-ubyte.gz")
    return images[..., None] / numpy.float32(255), labels.astype(numpy.int64)
