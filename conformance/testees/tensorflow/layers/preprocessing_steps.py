"""preprocessing.*: layers of Keras for words, categories, numbers and images.

https://www.tensorflow.org/guide/keras/preprocessing_layers
"""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()


def options_of(call, *names):
    """The arguments of these names that the program gives."""
    return {name: call.argument(name) for name in names if call.has(name)}


def lookup_options(call, *names):
    """Those of a lookup: its vocabulary is a list, or the path of a file."""
    options = options_of(call, "vocabulary", "num_oov_indices", "output_mode", *names)
    if call.has("vocabulary_file"):
        options["vocabulary"] = call.path(call.argument("vocabulary_file"))
    return options


@steps.step("preprocessing.string_lookup")
def string_lookup(call):
    return tf.keras.layers.StringLookup(**lookup_options(call, "mask_token", "invert"))


@steps.step("preprocessing.integer_lookup")
def integer_lookup(call):
    return tf.keras.layers.IntegerLookup(**lookup_options(call))


@steps.step("preprocessing.text_vectorization")
def text_vectorization(call):
    options = options_of(call, "vocabulary", "output_mode", "output_sequence_length")
    return tf.keras.layers.TextVectorization(**options)


@steps.step("preprocessing.hashing")
def hashing(call):
    return tf.keras.layers.Hashing(call.integer("num_bins"), **options_of(call, "salt", "mask_value"))


@steps.step("preprocessing.category_encoding")
def category_encoding(call):
    return tf.keras.layers.CategoryEncoding(call.integer("num_tokens"), **options_of(call, "output_mode"))


@steps.step("preprocessing.normalization")
def normalization(call):
    return tf.keras.layers.Normalization(**options_of(call, "mean", "variance"))


@steps.step("preprocessing.discretization")
def discretization(call):
    return tf.keras.layers.Discretization(bin_boundaries=call.argument("boundaries"))


@steps.step("preprocessing.rescaling")
def rescaling(call):
    return tf.keras.layers.Rescaling(call.argument("scale"), call.argument("offset", 0.0))


@steps.step("preprocessing.random_flip")
def random_flip(call):
    return tf.keras.layers.RandomFlip("horizontal", seed=call.integer("seed"))


_OTHER_LIBRARY = "TensorFlow Transform is another library, tensorflow_transform, with a pipeline of Apache Beam"

for _name in ("preprocessing.analyze", "preprocessing.transform_layer"):
    steps.unsupported(_name, _OTHER_LIBRARY)


@steps.step("preprocessing.adapt")
def adapt(call):
    call.find("of").adapt(call.find("data"))


@steps.step("preprocessing.vocabulary")
def vocabulary(call):
    return call.find("of").get_vocabulary()
