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


@steps.step("dataset.list_files")
def list_files(call):
    names = tf.data.Dataset.list_files(
        [call.path(pattern) for pattern in call.argument("patterns")],
        shuffle=call.argument("shuffle", True),
        seed=call.integer("seed", None),
    )
    return without_autotune(names)
