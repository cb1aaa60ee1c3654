import unittest

from tools import xml_unittest
from tools.gpu_check import libraries

TOLD = '''\tlinux-vdso.so.1 (0x00007ffd)
\tlibcudnn.so.9 => /usr/local/cuda/lib64/libcudnn.so.9 (0x00007f01)
\tlibfmt.so.9 => /lib/x86_64-linux-gnu/libfmt.so.9 (0x00007f02)
\tlibstdc++.so.6 => /lib/x86_64-linux-gnu/libstdc++.so.6 (0x00007f03)
\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f04)
\tlibnccl.so.2 => not found
\t/lib64/ld-linux-x86-64.so.2 (0x00007f05)
'''


class LibrariesTest(unittest.TestCase):
    def test_everything_but_the_c_library_and_cuda_is_brought(self):
        found = libraries.parse(TOLD, 'program')
        self.assertEqual(libraries.to_bring(found), {
            'libfmt.so.9': '/lib/x86_64-linux-gnu/libfmt.so.9',
            'libstdc++.so.6': '/lib/x86_64-linux-gnu/libstdc++.so.6'})

    def test_cuda_libraries_are_asked_for_there(self):
        self.assertEqual(libraries.of_cuda(libraries.parse(TOLD, 'program')), ['libcudnn.so.9', 'libnccl.so.2'])

    def test_a_missing_library_is_named(self):
        with self.assertRaisesRegex(libraries.MissingLibrary, 'program needs libfmt.so.9'):
            libraries.parse('\tlibfmt.so.9 => not found\n', 'program')

    def test_a_real_program_is_read(self):
        self.assertIn('libc.so.6', libraries.of_program('/bin/ls'))


if __name__ == '__main__':
    xml_unittest.main()
