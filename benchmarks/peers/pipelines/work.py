"""The work of benchmarks/micro/pipelines, for other frameworks: its sizes, its records, and what must come out.

An entry's name has the same labels as ours, so that compare.py pairs only equal amounts of work.
"""

import contextlib
import pathlib
import statistics
import struct
import tempfile
import time

from benchmarks.peers import samples

NUMBERS, SMALL_BATCH = 60_000, 6
IMAGES, BATCH = 60_000, 128
FILES, RECORDS_OF_FILE = 8, 2500
RECORDS = FILES * RECORDS_OF_FILE
PIXELS = 784
CALLS, SLEEPS, SLEEP = 16, 4000, 0.001
ELEMENTS, COLUMNS, WORDS, TOKENS, BATCHES = 10_000_000, 10, 50_000, 20_000, 1000


def sum_to(count):
    """0 + 1 + ... + count - 1."""
    return count * (count - 1) // 2


# What labels add up to if every record arrives once.
SUM_OF_LABELS = RECORDS // 10 * sum_to(10)


def entry(work, read, per_pass, wanted, *, repetitions, warm_up=True, **labels):
    """Times `read`, which makes one pass and returns a sum that must be `wanted`; an entry of the rate of `per_pass`
    things in a pass."""
    rates, cpu_rates, right = [], [], True
    for repetition in range(-1 if warm_up else 0, repetitions):
        started, cpu_started = time.perf_counter(), time.process_time()
        found = read()
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
        right = right and int(found) == wanted
        if repetition >= 0:
            rates.append(per_pass / seconds)
            cpu_rates.append(per_pass / max(cpu_seconds, 1e-9))
    name = "/".join([f"Pipeline/work:{work}", *(f"{label}:{value}" for label, value in labels.items())])
    cpu_rate = statistics.median(cpu_rates)  # of this process, without the workers of a DataLoader
    return samples.rate_entry(name, "items_per_second", rates, right=right, items_per_cpu_second=cpu_rate)


def small_batches(read, repetitions):
    batches = -(-NUMBERS // SMALL_BATCH)
    labels = {"elements": NUMBERS, "batch": SMALL_BATCH}
    return entry("small_batches", read, batches, sum_to(NUMBERS), repetitions=repetitions, **labels)


def shuffled_images(read, repetitions):
    labels = {"elements": IMAGES, "batch": BATCH}
    return entry("shuffled_images", read, IMAGES, sum_to(IMAGES), repetitions=repetitions, **labels)


def records(read, repetitions):
    labels = {"elements": RECORDS, "batch": BATCH}
    return entry("records", read, RECORDS, SUM_OF_LABELS, repetitions=repetitions, **labels)


def examples(read, repetitions):
    labels = {"elements": RECORDS, "batch": BATCH}
    return entry("examples", read, RECORDS, SUM_OF_LABELS, repetitions=repetitions, **labels)


def sleeps(read, calls, order):
    labels = {"elements": SLEEPS, "calls": calls, "order": order}
    return entry("sleeps", read, SLEEPS, sum_to(SLEEPS), repetitions=1, **labels)


def _checksum_table():
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


CHECKSUMS = _checksum_table()


def masked_checksum(content):
    """CRC-32C as TFRecord files store it."""
    value = 0xFFFFFFFF
    for byte in content:
        value = CHECKSUMS[(value ^ byte) & 0xFF] ^ value >> 8
    value ^= 0xFFFFFFFF
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def framed(record):
    length = struct.pack("<Q", len(record))
    return length + struct.pack("<I", masked_checksum(length)) + record + struct.pack("<I", masked_checksum(record))


def record(label):
    """The label, and an image of white bytes."""
    return bytes([label]) + b"\xff" * PIXELS


@contextlib.contextmanager
def record_files(make=record):
    """The paths of TFRecord files with records of make(label), which are removed in the end."""
    with tempfile.TemporaryDirectory() as folder:
        ten = b"".join(framed(make(label)) for label in range(10))
        paths = [pathlib.Path(folder, f"train-{index}") for index in range(FILES)]
        for path in paths:
            path.write_bytes(ten * (RECORDS_OF_FILE // 10))
        yield [str(path) for path in paths]
