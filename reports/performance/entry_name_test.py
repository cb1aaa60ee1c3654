"""Names of entries."""

import unittest

from reports.performance import entry_name
from tools import xml_unittest

TRAIN = "Train/workload:w/replicas:2/global_batch_size:128/device:cpu"


def parse(*texts):
    return [entry_name.parse(text) for text in texts]


class EntryNameTest(unittest.TestCase):
    def test_a_name_is_a_path_and_labels(self):
        name = entry_name.parse("Fit/again/replicas:2/device:cpu")
        self.assertEqual((name.path, name.labels), ("Fit/again", (("replicas", "2"), ("device", "cpu"))))
        self.assertEqual(str(name), "Fit/again/replicas:2/device:cpu")
        self.assertEqual((name.number("replicas"), name.number("device"), name.number("bytes")), (2, None, None))

    def test_the_clock_is_no_part_of_it(self):
        for clock in ("manual_time", "process_time/real_time"):
            self.assertEqual(str(entry_name.parse(f"Copy/threads:2/{clock}")), "Copy/threads:2")

    def test_in_words(self):
        for name, words in (
            (TRAIN, "Train w, 2 replicas, global batch 128, cpu"),
            ("Train/workload:w/implementation:p/replicas:1", "Train w, 1 replica"),
            ("Train/workload:w/workers:2/replicas:1/device:cpu", "Train w, 2 workers, 1 replica each, cpu"),
            ("Train/workload:w/strategy:none", "Train w, without a strategy"),
            ("AllReduce/algorithm:a/bytes:104857600", "AllReduce, a, 100 MiB"),
            ("Copy/bytes:1000/threads:2", "Copy, 1000 B, threads 2"),
            ("Plain", "Plain"),
        ):
            self.assertEqual(entry_name.parse(name).words, words)

    def test_words_of_some_labels(self):
        name = entry_name.parse(TRAIN)
        self.assertEqual(name.words_of({"replicas"}), "2 replicas")
        self.assertEqual(name.words_of({"bytes"}), name.words)

    def test_the_same_work_by_others(self):
        ours, peer = parse(TRAIN, "Train/workload:w/implementation:p/replicas:2/global_batch_size:128/device:cpu")
        self.assertTrue(entry_name.same_work(ours, peer))
        own, cudnn = parse("Pooling/dtype:float32/by:own", "Pooling/dtype:float32/by:cudnn")
        self.assertTrue(entry_name.same_work(own, cudnn))

    def test_other_labels_or_paths_are_other_work(self):
        ours = entry_name.parse(TRAIN)
        for other in (
            TRAIN.replace("replicas:2", "replicas:1"),
            TRAIN.replace("Train", "Fit"),
            TRAIN + "/precision:mixed_bfloat16",
            TRAIN + "/workers:2",
        ):
            self.assertFalse(entry_name.same_work(ours, entry_name.parse(other)), other)
        self.assertTrue(entry_name.same_work(ours, entry_name.parse(TRAIN + "/precision:float32")))
        self.assertTrue(entry_name.same_work(ours, entry_name.parse(TRAIN.replace("Train", "Fit")), any_path=True))

    def test_what_tells_names_apart(self):
        one, two = TRAIN.replace("2/g", "1/g").replace("128", "64"), TRAIN
        self.assertEqual(entry_name.differing_keys(parse(one, two)), {"replicas"})
        strong = TRAIN.replace("128", "64")
        self.assertEqual(entry_name.differing_keys(parse(one, two, strong)), {"replicas", "global_batch_size"})
        self.assertEqual(entry_name.differing_keys(parse("A/implementation:p/replicas:1", "A/replicas:1")), set())

    def test_bytes(self):
        for count, words in ((0, "0 B"), (4096, "4 KiB"), (3 * 2**20, "3 MiB"), (2**30, "1 GiB"), (1500, "1500 B")):
            self.assertEqual(entry_name.bytes_in_words(count), words)


if __name__ == "__main__":
    xml_unittest.main()
