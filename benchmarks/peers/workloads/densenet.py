"""The parts of the workload `densenet` that the peers' scripts share.

DenseNet-BC of depth 22 and growth 12 on Fashion-MNIST; softmax cross-entropy and a
penalty of 1e-4 on the convolutions' kernels; SGD with Nesterov's momentum 0.9 and
learning rate 0.1; 64 images a replica; float32; images divided by 255; shuffled.
"""

NAME = "densenet"
NEEDS_DATA = True
BATCH_SIZE_PER_REPLICA = 64
BLOCKS = (3, 3, 3)
GROWTH = 12
BOTTLENECK = 4  # inner channels of a layer over its growth
EPSILON = 1e-3
PENALTY = 1e-4
LEARNING_RATE = 0.1
MOMENTUM = 0.9
