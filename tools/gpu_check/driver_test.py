import os
import unittest
import unittest.mock

from tools import xml_unittest
from tools.gpu_check import driver


class DriverTest(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.join(os.environ["TEST_TMPDIR"], self.id())
        os.makedirs(self.folder)
        self.commands = []

    def tell(self, user=0):
        with unittest.mock.patch.object(os, "geteuid", lambda: user):
            return driver.tell_loader((self.folder, "/nowhere"), lambda command, check: self.commands.append(command))

    def test_the_loader_finds_a_mounted_driver(self):
        self.assertEqual((self.tell(), self.commands), ([], []))
        with open(os.path.join(self.folder, "libcuda.so.1"), "w", encoding="utf-8"):
            pass
        self.assertEqual((self.tell(), self.commands), ([self.folder], [["ldconfig", self.folder]]))

    def test_only_root_may_tell_the_loader(self):
        with open(os.path.join(self.folder, "libcuda.so.1"), "w", encoding="utf-8"):
            pass
        self.assertEqual((self.tell(user=1000), self.commands), ([self.folder], []))

    def test_a_driver_that_is_no_library_is_a_problem_in_words(self):
        with unittest.mock.patch.object(driver, "LIBRARY", "libnobodys.so.1"):
            found = driver.load((self.folder,))
        self.assertEqual((found.library, found.folder, found.gpus), (None, None, 0))
        self.assertIn("no driver: libnobodys.so.1", found.problem)

    def test_a_library_that_is_loaded_is_found(self):
        self.assertTrue(os.path.isdir(driver.loaded_from("libc.so.6")))
        self.assertIsNone(driver.loaded_from("libnobodys.so.1"))


if __name__ == "__main__":
    xml_unittest.main()
