"""What the scripts of all frameworks share."""

import argparse
import contextlib
import gzip
import io
import json
import os
import pathlib
import struct
import tempfile
import threading
import time
import unittest

import numpy

from benchmarks.peers import exact_fixture, training_script
from benchmarks.peers.block_clock import BlockClock
from benchmarks.peers.read_ahead import read_ahead
from benchmarks.peers.workloads import bert, fashion_mnist_cnn, formula, ncf, nmt, resnet50, small_forms
from benchmarks.peers.workloads import fashion_mnist_cnn as workload
from tools import xml_unittest


class CheckTest(unittest.TestCase):
    def check(self, workload, *flags):
        parser = training_script.argument_parser("")
        parser.set_defaults(data=None)
        return training_script.check(parser, parser.parse_args(flags), workload)

    def refused(self, workload, *flags):
        stderr = io.StringIO()
        with contextlib.redirect_stderr(stderr), self.assertRaises(SystemExit):
            self.check(workload, *flags)
        return stderr.getvalue()

    def test_the_batch_is_the_workloads_unless_given(self):
        self.assertEqual(self.check(resnet50, "--replicas=2").global_batch_size, 64)
        given = self.check(resnet50, "--replicas=2", "--batch=3")
        self.assertEqual(given.global_batch_size, 6)

    def test_images_that_must_be_read_must_be_named(self):
        self.assertIn("LOCKSTEP_DATA_DIR", self.refused(fashion_mnist_cnn))
        named = self.check(fashion_mnist_cnn, "--data=/images")
        self.assertEqual(named.global_batch_size, 64)

    def test_numbers_below_one_are_refused(self):
        self.assertIn("got -1", self.refused(resnet50, "--batch=-1"))
        for name in ("seed", "epochs", "warmup"):
            self.assertIn(f"--{name} must not be", self.refused(resnet50, f"--{name}=-1"))


class ReportTest(unittest.TestCase):
    def report(self, losses):
        arguments = argparse.Namespace(replicas=2, threads=2, global_batch_size=128, seed=1, epochs=0)
        stdout = io.StringIO()
        samples = [1.0, 2.0, 9.0]
        with contextlib.redirect_stdout(stdout):
            training_script.report(resnet50, "peer", arguments, {"x": "1"}, samples, losses)
        return json.loads(stdout.getvalue())

    def test_it_is_one_object_with_the_median_and_the_samples(self):
        result = self.report([2.0, 1.0])
        self.assertEqual(result["images_per_second"], 2.0)
        self.assertEqual(result["samples"], [1.0, 2.0, 9.0])
        self.assertEqual(
            result["name"], "Train/workload:resnet50/implementation:peer/replicas:2/global_batch_size:128/device:cpu"
        )

    def test_a_gpu_and_another_precision_are_in_the_name(self):
        arguments = argparse.Namespace(replicas=1, global_batch_size=64, device="gpu", precision="mixed_bfloat16")
        self.assertEqual(
            training_script.entry_name(resnet50, "peer", arguments),
            "Train/workload:resnet50/implementation:peer/replicas:1"
            "/global_batch_size:64/precision:mixed_bfloat16/device:gpu",
        )
        arguments.precision = "float32"
        self.assertTrue(
            training_script.entry_name(resnet50, "peer", arguments).endswith("/global_batch_size:64/device:gpu")
        )

    def test_losses_that_fall_are_training(self):
        self.assertTrue(self.report([2.0, 1.0])["trained"])
        for losses in ([1.0, 2.0], [1.0, float("inf")]):
            self.assertFalse(self.report(losses)["trained"])


class FakeTime:
    """A clock that moves only when a test advances it."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


def arguments(warmup, steps, blocks):
    return argparse.Namespace(warmup=warmup, steps=steps, blocks=blocks, global_batch_size=64)


class BlockClockTest(unittest.TestCase):
    def setUp(self):
        self.time = FakeTime()

    def clock(self, warmup=2, steps=3, blocks=2):
        return BlockClock(arguments(warmup, steps, blocks), 1000, now=self.time)

    def test_warm_up_is_not_timed_and_each_block_is_a_sample(self):
        clock = self.clock()
        for seconds in (50, 50, 1, 1, 1, 2, 2, 2):
            self.time.seconds += seconds
            clock.steps_done()
        self.assertEqual(clock.training_steps, 8)
        self.assertEqual(clock.samples, [3 * 64 / 3, 3 * 64 / 6])

    def test_without_a_warm_up_the_first_block_starts_at_once(self):
        clock = self.clock(warmup=0)
        for _ in range(3):
            self.time.seconds += 2
            clock.steps_done()
        self.assertEqual(clock.samples, [32.0])

    def test_several_steps_at_a_time_count_like_single_ones(self):
        clock = self.clock(warmup=10, steps=20)
        for _ in range(5):
            self.time.seconds += 10
            clock.steps_done(10)
        self.assertEqual(clock.samples, [64.0, 64.0])

    def test_steps_across_the_end_of_a_block_are_refused(self):
        clock = self.clock(warmup=2, steps=3)
        with self.assertRaisesRegex(ValueError, "4 steps at a time straddle"):
            clock.steps_done(4)

    def test_within_the_warm_up_nothing_is_straddled(self):
        clock = self.clock(warmup=95, steps=5)
        for count in (10,) * 9 + (5, 5):
            self.time.seconds += count
            clock.steps_done(count)
        self.assertEqual(clock.samples, [64.0])

    def test_an_epoch_is_a_sample_of_all_its_images(self):
        clock = self.clock()
        self.time.seconds += 4
        clock.epoch_done()
        self.assertEqual(clock.samples, [250.0])


class ReadAheadTest(unittest.TestCase):
    def test_all_items_come_in_order(self):
        self.assertEqual(list(read_ahead(range(10), 2)), list(range(10)))
        self.assertEqual(list(read_ahead([], 2)), [])

    def test_items_are_made_ahead_in_another_thread(self):
        made = []

        def items():
            for i in range(5):
                made.append(threading.current_thread())
                yield i

        reader = read_ahead(items(), 2)
        self.assertEqual(next(reader), 0)
        deadline = time.monotonic() + 10
        while len(made) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertGreaterEqual(len(made), 3)
        self.assertNotIn(threading.current_thread(), made)
        reader.close()

    def test_an_error_reaches_the_reader_after_the_items_before_it(self):
        def items():
            yield 1
            raise ValueError("no more")

        reader = read_ahead(items(), 2)
        self.assertEqual(next(reader), 1)
        with self.assertRaisesRegex(ValueError, "no more"):
            next(reader)

    def test_the_thread_ends_with_its_reader(self):
        makers = []

        def endless():
            while True:
                makers.append(threading.current_thread())
                yield 0

        reader = read_ahead(endless(), 2)
        next(reader)
        reader.close()
        makers[0].join(10)
        self.assertFalse(makers[0].is_alive())


class ExactFixtureTest(unittest.TestCase):
    def test_bytes_are_those_of_the_documented_cpp_function(self):
        # As a C program with the function of the file's head prints them.
        for stream, wanted in ((0, [167, 152, 69, 49]), (64, [89, 51, 28, 34]), (128, [21, 179, 189, 140])):
            self.assertEqual(exact_fixture.byte(stream, 4).tolist(), wanted)

    def test_weights_have_the_models_shapes_and_are_exact_in_float32(self):
        weights = exact_fixture.weights()
        self.assertEqual(sum(w.size for w in weights), 121930)
        self.assertEqual(weights[0].dtype, numpy.float32)
        self.assertEqual(weights[0].ravel()[0], (167 - 128) / 128 / 8)
        for biases in weights[1::2]:
            self.assertFalse(biases.any())

    def test_a_batch_is_images_in_0_to_1_and_ten_kinds_of_labels(self):
        images, labels = exact_fixture.batch(0, 3)
        self.assertEqual(images.shape, (3, 28, 28, 1))
        self.assertEqual(images.ravel()[:2].tolist(), [89 / 256, 51 / 256])
        self.assertEqual(labels.tolist(), [21 % 10, 179 % 10, 189 % 10])

    def test_four_batches_come_round(self):
        first, fifth = exact_fixture.batch(0, 2)[0], exact_fixture.batch(4, 2)[0]
        self.assertTrue((first == fifth).all())
        self.assertFalse((first == exact_fixture.batch(1, 2)[0]).all())


def idx(*shape, content, kind=8):
    header = struct.pack(f">HBB{len(shape)}I", 0, kind, len(shape), *shape)
    return gzip.compress(header + bytes(content))


class ReadIdxTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def read(self, content):
        path = self.folder / "file.gz"
        path.write_bytes(content)
        return workload.read_idx(path)

    def test_the_shape_is_the_headers(self):
        array = self.read(idx(2, 3, content=range(6)))
        self.assertEqual(array.tolist(), [[0, 1, 2], [3, 4, 5]])

    def test_a_wrong_header_is_refused(self):
        with self.assertRaisesRegex(ValueError, r"do not hold \(2, 4\)"):
            self.read(idx(2, 4, content=range(6)))

    def test_other_contents_are_refused(self):
        with self.assertRaisesRegex(ValueError, "not an IDX file of bytes"):
            self.read(idx(1, content=[0] * 4, kind=13))

    def test_images_are_scaled_and_get_a_channel(self):
        part = self.folder / "fashion_mnist"
        part.mkdir()
        pixels = [0, 255, 51, 102] + [0] * 780
        images = idx(1, 28, 28, content=pixels)
        (part / "t10k-images-idx3-ubyte.gz").write_bytes(images)
        (part / "t10k-labels-idx1-ubyte.gz").write_bytes(idx(1, content=[7]))
        images, labels = workload.load(self.folder, "t10k")
        self.assertEqual((images.shape, str(images.dtype)), ((1, 28, 28, 1), "float32"))
        self.assertEqual(images.ravel()[:2].tolist(), [0.0, 1.0])
        self.assertAlmostEqual(float(images.ravel()[2]), 0.2, places=7)
        self.assertEqual(labels.tolist(), [7])

    def test_the_files_may_be_in_the_folder_itself(self):
        (self.folder / "train-images-idx3-ubyte.gz").write_bytes(idx(1, 28, 28, content=[255] * 784))
        (self.folder / "train-labels-idx1-ubyte.gz").write_bytes(idx(1, content=[3]))
        images, labels = workload.load(self.folder, "train")
        self.assertEqual((images.min(), labels.tolist()), (1.0, [3]))


class MakeImagesTest(unittest.TestCase):
    def test_the_brightest_block_is_the_class(self):
        images, labels = resnet50.make_images(9, 4, classes=6)
        self.assertEqual((images.shape, str(images.dtype)), ((9, 4, 4, 3), "float32"))
        self.assertEqual(labels.tolist(), [0, 1, 2, 3, 4, 5, 0, 1, 2])
        blocks = images.reshape(9, 6, 8)
        self.assertEqual(blocks.mean(axis=2).argmax(axis=1).tolist(), labels.tolist())
        self.assertEqual(blocks[3, 3].tolist(), [1.0] * 8)
        self.assertLess(float(blocks[3, 2].max()), 0.5)

    def test_a_seed_makes_the_same_images_again(self):
        first, _ = resnet50.make_images(2, 8, classes=2, seed=3)
        again, _ = resnet50.make_images(2, 8, classes=2, seed=3)
        other, _ = resnet50.make_images(2, 8, classes=2, seed=4)
        self.assertTrue((first == again).all())
        self.assertFalse((first == other).all())

    def test_the_rate_is_in_proportion_to_the_batch(self):
        self.assertEqual(resnet50.learning_rate(256), 0.1)
        self.assertEqual(resnet50.learning_rate(64), 0.025)


class FormulaTest(unittest.TestCase):
    def test_the_numbers_are_those_of_ours(self):
        # x of the first elements of variable 1000, as a C program with formula.h's four lines prints it.
        wanted = [x / 2**32 for x in (313904253, 44881774, 2529565387, 975558973)]
        self.assertEqual(formula.fractions(1000, (2, 2)).ravel().tolist(), wanted)
        self.assertEqual(formula.whole_numbers(1000, (4,), 10, first=5).tolist(), [5, 5, 10, 7])

    def test_the_examples_of_the_small_forms_are_those_of_five_batches(self):
        for arrays, count in (
            (bert.SMALL.examples(bert.SMALL, 1), 37),
            (nmt.SMALL.examples(nmt.SMALL, 1), 37),
            (small_forms.images(), 37),
            (small_forms.ratings(), 183),
        ):
            self.assertEqual({len(array) for array in arrays}, {count})


class BertTest(unittest.TestCase):
    def test_the_rate_rises_and_falls_in_lines(self):
        # As ours: 0.01 after two steps, 0 at the tenth.
        rates = [bert.rate(bert.SMALL, step) for step in (0, 1, 2, 5, 10, 99)]
        for rate, wanted in zip(rates, (0, 0.005, 0.008, 0.005, 0, 0), strict=True):
            self.assertAlmostEqual(rate, wanted, places=15)

    def test_sequences_have_the_shapes_and_mean_lengths_of_ours(self):
        ids, mask, kinds, positions, labels, weights, follows = bert.make_sequences(bert.REAL, 1)
        self.assertEqual((ids.shape, labels.shape, follows.shape), ((10000, 32), (10000, 5), (10000,)))
        self.assertAlmostEqual(mask.sum() / 10000, 27, delta=0.1)
        self.assertEqual((ids[mask == 0].max(), int(ids.max()), int(ids[mask == 1].min())), (0, 153, 5))
        self.assertTrue((kinds <= mask).all())
        self.assertTrue((positions < mask.sum(1)[:, None]).all())
        # 15 % of 22 tokens are 3 words, of 27 are 4, of 32 are 5.
        lengths = mask.sum(1)
        for length, words in ((22, 3), (27, 4), (32, 5)):
            self.assertEqual(set(weights[lengths == length].sum(1).tolist()), {words})

    def test_words_follow_zipfs_law(self):
        ids, mask, *_ = bert.make_sequences(bert.REAL, 1)
        words = ids[mask == 1]
        self.assertAlmostEqual((words == 5).sum() / (words == 6).sum(), 2, delta=0.1)


class NmtTest(unittest.TestCase):
    def test_pairs_have_the_shapes_and_mean_lengths_of_ours(self):
        source, target = nmt.make_pairs(nmt.REAL, 1)
        self.assertEqual((source.shape, target.shape), ((3217, 13), (3217, 11)))
        for sentences, words, mean in ((source, 50, 9.5), (target, 43, 9)):
            self.assertAlmostEqual((sentences != 0).sum() / 3217, mean, delta=0.1)
            self.assertEqual(set(sentences[:, 0].tolist()), {nmt.BEGIN})
            self.assertTrue(((sentences == nmt.END).sum(1) == 1).all())
            self.assertLess(int(sentences.max()), words)
            lengths = (sentences != 0).sum(1)
            self.assertTrue((sentences[numpy.arange(3217), lengths - 1] == nmt.END).all())


class NcfTest(unittest.TestCase):
    def test_a_fifth_of_the_ratings_is_1(self):
        users, items, labels = ncf.make_ratings(10000)
        self.assertAlmostEqual(float(labels.mean()), 0.2, delta=0.02)
        self.assertEqual(labels.tolist(), ((users + items) % 5 == 0).astype(float).tolist())


if __name__ == "__main__":
    xml_unittest.main()
