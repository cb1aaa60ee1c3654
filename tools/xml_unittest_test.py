import os
import unittest
from unittest import mock

from tools import xml_unittest


def loaded(**shard):
    """What is loaded of a class with five tests, in an environment that names no shards but these."""
    tests = {"test_" + letter: lambda self: None for letter in "abcde"}
    with mock.patch.dict(os.environ):
        for name in ("TEST_TOTAL_SHARDS", "TEST_SHARD_INDEX"):
            os.environ.pop(name, None)
        os.environ.update(shard)
        return xml_unittest.ShardLoader().getTestCaseNames(type("Five", (unittest.TestCase,), tests))


class ShardLoaderTest(unittest.TestCase):
    def test_without_shards_all_are_loaded(self):
        self.assertEqual(5, len(loaded()))

    def test_each_is_in_one_shard(self):
        shards = [loaded(TEST_TOTAL_SHARDS="3", TEST_SHARD_INDEX=str(index)) for index in range(3)]
        self.assertEqual([["test_a", "test_d"], ["test_b", "test_e"], ["test_c"]], shards)


if __name__ == "__main__":
    xml_unittest.main()
