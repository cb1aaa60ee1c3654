import threading
import time
import unittest

from tools import xml_unittest

from read_ahead import read_ahead


class ReadAheadTest(unittest.TestCase):
    def test_all_items_come_in_order(self):
        self.assertEqual(list(read_ahead(range(10), 2)), list(range(10)))
        self.assertEqual(list(read_ahead([], 2)), [])

    def test_items_are_made_in_another_thread_before_they_are_asked_for(self):
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

    def test_an_error_reaches_the_reader_behind_the_items_before_it(self):
        def items():
            yield 1
            raise ValueError("no more")

        reader = read_ahead(items(), 2)
        self.assertEqual(next(reader), 1)
        with self.assertRaisesRegex(ValueError, "no more"):
            next(reader)

    def test_the_thread_ends_with_its_reader(self):
        before = threading.active_count()

        def endless():
            while True:
                yield 0

        reader = read_ahead(endless(), 2)
        next(reader)
        reader.close()
        deadline = time.monotonic() + 10
        while threading.active_count() > before and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(threading.active_count(), before)


if __name__ == "__main__":
    xml_unittest.main()
