"""file.*, and the dataset.* that read files: tf.data and tf.io."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.without_autotune import without_autotune

steps = StepTable()


@steps.step("file.write_text")
def write_text(call):
    tf.io.write_file(call.path(call.argument("file")), call.argument("text"))


def compression_of(call):
    compression = call.argument("compression", "none")
    return "" if compression == "none" else compression.upper()


@steps.step("file.write_tf_records")
def write_tf_records(call):
    path = call.path(call.argument("file"))
    with tf.io.TFRecordWriter(path, compression_of(call)) as writer:
        for record in call.argument("records"):
            writer.write(record)


LISTS = {
    "float32": lambda values: tf.train.Feature(float_list=tf.train.FloatList(value=values)),
    "int64": lambda values: tf.train.Feature(int64_list=tf.train.Int64List(value=values)),
    "string": lambda values: tf.train.Feature(bytes_list=tf.train.BytesList(value=[v.encode() for v in values])),
}


@steps.step("file.write_examples")
def write_examples(call):
    # https://www.tensorflow.org/tutorials/load_data/tfrecord#tftrainexample
    types = call.argument("types")
    with tf.io.TFRecordWriter(call.path(call.argument("file"))) as writer:
        for example in call.argument("examples"):
            feature = {name: LISTS[types[name]](values) for name, values in example.items()}
            message = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(message.SerializeToString())


def files_of(call):
    """What a source reads: the files listed, or the one that an element names."""
    if call.has("files"):
        return [call.path(file) for file in call.argument("files")]
    return call.find("named")


@steps.step("dataset.text_lines")
def text_lines(call):
    return without_autotune(tf.data.TextLineDataset(files_of(call)))


@steps.step("dataset.fixed_length_records")
def fixed_length_records(call):
    records = tf.data.FixedLengthRecordDataset(
        files_of(call), call.integer("record_bytes"), call.integer("header_bytes", 0), call.integer("footer_bytes", 0)
    )
    return without_autotune(records)


@steps.step("dataset.tf_records")
def tf_records(call):
    return without_autotune(tf.data.TFRecordDataset(files_of(call), compression_of(call)))


def feature_of(wanted):
    if "shape" not in wanted:
        return tf.io.RaggedFeature(wanted["type"])
    return tf.io.FixedLenFeature(wanted["shape"], wanted["type"], wanted.get("default"))


@steps.step("dataset.parse_examples")
def parse_examples(call):
    # https://www.tensorflow.org/guide/data#parsing_tfexample_protocol_buffer_messages
    messages = call.find("of")
    features = {name: feature_of(wanted) for name, wanted in call.argument("features").items()}
    parse = tf.io.parse_example if messages.element_spec.shape.rank else tf.io.parse_single_example
    return messages.map(lambda message: parse(message, features))


@steps.step("dataset.list_files")
def list_files(call):
    names = tf.data.Dataset.list_files(
        [call.path(pattern) for pattern in call.argument("patterns")],
        shuffle=call.argument("shuffle", True),
        seed=call.integer("seed", None),
    )
    return without_autotune(names)


@steps.step("dataset.save")
def save(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#save
    call.find("of").save(call.path(call.argument("folder")))


@steps.step("dataset.load")
def load(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#load
    return without_autotune(tf.data.Dataset.load(call.path(call.argument("folder"))))
