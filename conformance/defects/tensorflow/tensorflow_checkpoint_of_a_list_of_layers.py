"""TensorFlow 2.21 with Keras 3: tf.train.Checkpoint saves nothing of layers in a list.

TensorFlow's guide to checkpoints (tensorflow.org/guide/checkpoint, "List and dictionary
tracking"): "assigning lists and dictionaries to attributes will track their contents", and "The
same tracking is automatically applied to subclasses of `tf.keras.Model`, and may be used for
example to track lists of layers." Those of a Keras 3 model are not tracked: nothing is saved and
nothing restored, and what asserts that all was matched, or consumed, holds. (Keras 2: saved and
restored.) keras-team/keras#18398 reported it, and was closed with #18507, which has an effect on
saved models alone: TFLayer._trackable_children adds the lists for save_type "savedmodel" only.
"""

import os
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf


class Model(keras.Model):
    def __init__(self, first):
        super().__init__()
        dense = keras.layers.Dense(1, use_bias=False, kernel_initializer=keras.initializers.Constant(first))
        dense.build((None, 1))
        self.stack = [dense]

    def call(self, x):
        return self.stack[0](x)


path = tf.train.Checkpoint(model=Model(5.0)).save(tempfile.mkdtemp() + "/ckpt")
restored = Model(1.0)
status = tf.train.Checkpoint(model=restored).restore(path)
status.assert_existing_objects_matched()
status.assert_consumed()
kernel = np.asarray(restored.stack[0].kernel).item()
saved = [name for name, _ in tf.train.list_variables(path)]
print(f"Keras {keras.__version__}, TensorFlow {tf.__version__}: expected kernel 5.0, observed {kernel}; saved {saved}")
