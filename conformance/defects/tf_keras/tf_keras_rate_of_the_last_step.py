"""tf_keras (Keras 2): the learning rate of a schedule is reported as that of the last step.

By design: a comment in Optimizer.learning_rate (tf_keras/src/optimizers/optimizer.py) says: "If the
optimizer takes in LearningRateSchedule, then each call to learning_rate would return
`self._current_learning_rate`, which is updated at each call to `apply_gradients`." It is computed
there before the step is counted. Expected after one step: the rate of the second, 0.125, as Keras
3 tells. Observed: 0.25, that of the first, on one replica as on two.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import tensorflow as tf
import tf_keras

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
for library in (tf_keras, keras):
    for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
        strategy = tf.distribute.MirroredStrategy(devices)
        with strategy.scope():
            schedules = library.optimizers.schedules
            rates = schedules.PiecewiseConstantDecay([0, 1], [0.25, 0.125, 0.0625])
            optimizer = library.optimizers.SGD(rates)
            model = library.Sequential([library.layers.Dense(1, use_bias=False)])
            model.build((None, 1))
        variables = model.trainable_variables
        step = tf.function(lambda: optimizer.apply_gradients([(tf.ones((1, 1)), variables[0])]))
        strategy.run(step)
        print(
            f"{library.__name__} {library.__version__}, {len(devices)} replicas: expected 0.125,",
            f"observed {tf.convert_to_tensor(optimizer.learning_rate).numpy()}",
        )
