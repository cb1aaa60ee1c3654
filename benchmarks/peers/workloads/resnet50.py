"""The parts of the workload `resnet50` that the peers' scripts share.

ResNet-50 v1.5 (strides on the 3 x 3 convolutions) on synthetic images; softmax
cross-entropy; SGD with momentum 0.9 and learning rate 0.1 for 256 images, in proportion
to the global batch; 32 images a replica; float32.
"""

import numpy

NAME = "resnet50"
NEEDS_DATA = False
BATCH_SIZE_PER_REPLICA = 32
CLASSES = 1000
MOMENTUM = 0.9


def learning_rate(global_batch_size):
    return 0.1 * global_batch_size / 256


def make_images(count, size, classes=CLASSES, seed=1):
    """Images as float32 [count, size, size, 3] in [0, 1] and labels as int64 [count].

    Image i is of class i % classes: its class's own block of numbers is 1 over noise
    below 1/2.
    """
    images = numpy.random.default_rng(seed).random((count, size * size * 3), numpy.float32)
    images /= 2
    labels = numpy.arange(count, dtype=numpy.int64) % classes
    for image, label in zip(images, labels, strict=True):
        width = image.size
        image[label * width // classes : (label + 1) * width // classes] = 1
    return images.reshape(count, size, size, 3), labels
