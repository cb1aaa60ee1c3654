import os
import unittest
import unittest.mock

from tools import xml_unittest
from tools.gpu_check import machine


class MachineTest(unittest.TestCase):
    def setUp(self):
        self.root = os.path.join(os.environ["TEST_TMPDIR"], self.id())

    def plant(self, *path, mode=0o644):
        target = os.path.join(self.root, *path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8"):
            pass
        os.chmod(target, mode)
        return target

    def test_libraries_are_found_in_the_wheels(self):
        library = self.plant("site", "nvidia", "cudnn", "lib", "libcudnn.so.0")
        folders = machine.cuda_folders([os.path.join(self.root, "site")])
        self.assertEqual(
            machine.find_libraries(["libcudnn.so.0", "libx.so"], folders),
            {"libcudnn.so.0": os.path.dirname(library), "libx.so": None},
        )

    def test_tools_are_found_in_the_wheels(self):
        tool = self.plant("site", "nvidia", "cu13", "bin", "nobodys-sanitizer", mode=0o755)
        self.assertIsNone(machine.find_tool("nobodys-sanitizer"))
        with unittest.mock.patch.object(machine.sys, "path", [os.path.join(self.root, "site")]):
            self.assertEqual(machine.find_tool("nobodys-sanitizer"), tool)

    def test_a_missing_command_is_reported(self):
        self.assertIn("no-such-command", machine.output_of("no-such-command"))


if __name__ == "__main__":
    xml_unittest.main()
