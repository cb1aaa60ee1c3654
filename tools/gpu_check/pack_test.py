import os
import tarfile
import unittest

from tools import xml_unittest
from tools.gpu_check import pack


class PackTest(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.join(os.environ['TEST_TMPDIR'], self.id())
        os.makedirs(self.folder)

    def plant(self, *path, content=b''):
        target = os.path.join(self.folder, *path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, 'wb') as stream:
            stream.write(content)
        return target

    def test_what_is_packed_twice_costs_once(self):
        content = os.urandom(9 << 20)  # more than the default preset looks back
        self.plant('package', 'bin', 'a', content=content)
        self.plant('package', 'bin', 'b', content=content)
        output = os.path.join(self.folder, 'x.tar.xz')
        pack.compress(os.path.join(self.folder, 'package'), output)
        self.assertLess(os.path.getsize(output), 1.1 * len(content))
        with tarfile.open(output) as archive:
            self.assertEqual(archive.extractfile('gpu_check/bin/b').read(), content)


if __name__ == '__main__':
    xml_unittest.main()
