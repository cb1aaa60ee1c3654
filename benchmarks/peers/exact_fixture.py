"""Weights and batches that any language can reproduce, bit for bit.

Every number is a byte b = byte(stream, index) scaled by a power of two, so float32
holds it exactly. In C++:

  uint8_t Byte(uint32_t stream, uint32_t index) {
    uint32_t n = (stream << 24) + index + 1;
    n = (n ^ (n >> 16)) * 0x45d9f3bu;
    n = (n ^ (n >> 16)) * 0x45d9f3bu;
    return (n ^ (n >> 16)) & 255;
  }

The first bytes of stream 0 are 167, 152, 69, 49, of stream 64 are 89, 51, 28, 34.
With `index` the position in row-major order:

  variable v = 0..7 (conv kernel, bias, conv kernel, bias, dense kernel, bias, dense
    kernel, bias):  (byte(v, index) - 128) / 128 * scale, scale = 1/8, 0, 1/16, 0,
    1/16, 0, 1/4, 0: near Glorot's limits, and zero for the biases
  images of step s, [n, 28, 28, 1]:  byte(64 + s % 4, index) / 256
  labels of step s, [n]:             byte(128 + s % 4, index) % 10

Four batches come round again and again, so that the loss falls as they are learnt.
"""

import numpy

SHAPES = ((3, 3, 1, 32), (32,), (3, 3, 32, 64), (64,), (1600, 64), (64,), (64, 10), (10,))
SCALES = (1 / 8, 0, 1 / 16, 0, 1 / 16, 0, 1 / 4, 0)


def byte(stream, count):
    """The first `count` bytes of a stream, as uint32."""
    n = numpy.arange(count, dtype=numpy.uint32) + numpy.uint32((stream << 24) + 1)
    for _ in range(2):
        n = (n ^ (n >> numpy.uint32(16))) * numpy.uint32(0x45D9F3B)
    return (n ^ (n >> numpy.uint32(16))) & numpy.uint32(255)


def weights():
    """The model's eight variables, float32, in Keras's order and layout."""
    result = []
    for stream, (shape, scale) in enumerate(zip(SHAPES, SCALES, strict=True)):
        signed = byte(stream, int(numpy.prod(shape))).astype(numpy.float32) - 128
        result.append((signed / 128 * numpy.float32(scale)).reshape(shape))
    return result


def batch(step, size):
    """Images [size, 28, 28, 1] float32 and labels [size] int64 of a step."""
    images = byte(64 + step % 4, size * 784).astype(numpy.float32) / 256
    labels = byte(128 + step % 4, size).astype(numpy.int64) % 10
    return images.reshape(size, 28, 28, 1), labels
