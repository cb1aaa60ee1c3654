import os
import subprocess
import sys
import tarfile
import unittest

from tools import xml_unittest
from tools.gpu_check import pack

NAMES = ['a-images', 'a-labels']


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

    def test_check_starts_where_nothing_else_is(self):
        pack.add_check(os.getcwd(), self.folder)
        done = subprocess.run([sys.executable, '-E', '-S', os.path.join(self.folder, 'check.py'), '--help'],
                              cwd='/', stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('--data', done.stdout)

    def test_another_package_named_tools_does_not_hide_it(self):
        other = os.path.dirname(self.plant('site', 'tools', '__init__.py'))
        there = os.path.join(self.folder, 'there')
        os.makedirs(there)
        pack.add_check(os.getcwd(), there)
        done = subprocess.run([sys.executable, os.path.join(there, 'check.py'), '--help'], cwd='/',
                              env=dict(os.environ, PYTHONPATH=os.path.dirname(other)),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_tests_run_folder_by_folder_and_some_have_an_entry_of_their_own(self):
        planned = {'tests': {'group': 'first', 'seconds': 20, 'folders': ['//b', '//a']},
                   'programs': [{'name': 'slow', 'group': 'second', 'target': '//a:slow_test', 'test': True,
                                 'seconds': 240}]}
        entries = pack.plan(planned, ['//c:x_test', '//a:slow_test', '//a/d:y_test', '//b:two_test', '//b:one_test'],
                            ['//b:two_test'])
        self.assertEqual([entry['name'] for entry in entries],
                         ['b.one_test', 'b.two_test', 'a.d.y_test', 'c.x_test', 'slow'])
        self.assertEqual([entry.get('gpus') for entry in entries], [None, 2, None, None, None])
        self.assertEqual(entries[0], {'name': 'b.one_test', 'group': 'first', 'target': '//b:one_test',
                                      'test': True, 'arguments': [], 'seconds': 20})

    def test_the_full_data_lies_where_check_looks_for_it(self):
        for name in ('a-images.gz', 'a-labels', 'other.gz'):
            self.plant('mine', 'fashion_mnist', name, content=name.encode())
        there = os.path.join(self.folder, 'there')
        pack.add_full_data(pack.find_full_data(os.path.join(self.folder, 'mine'), NAMES), there)
        found = os.path.join(there, 'datasets', 'fashion_mnist')
        self.assertEqual(sorted(os.listdir(found)), ['a-images.gz', 'a-labels'])
        with open(os.path.join(found, 'a-labels'), 'rb') as stream:
            self.assertEqual(stream.read(), b'a-labels')

    def test_data_that_is_not_there_is_named(self):
        self.plant('mine', 'fashion_mnist', 'a-images.gz')
        with self.assertRaisesRegex(pack.PackError, r'mine/fashion_mnist lacks a-labels.gz; .*//datasets:fetch'):
            pack.find_full_data(os.path.join(self.folder, 'mine'), NAMES)
        self.assertEqual(pack.find_full_data(None, NAMES), [])

    def test_what_is_packed_twice_costs_once(self):
        content = os.urandom(9 << 20)  # more than the default preset looks back
        self.plant('package', 'bin', 'a', content=content)
        self.plant('package', 'bin', 'b', content=content)
        output = os.path.join(self.folder, 'x.tar.xz')
        pack.compress(os.path.join(self.folder, 'package'), output)
        self.assertLess(os.path.getsize(output), 1.1 * len(content))
        with tarfile.open(output) as archive:
            self.assertEqual(archive.extractfile('gpu_check/bin/b').read(), content)

    def test_an_archive_that_could_not_be_made_leaves_the_one_before(self):
        output = self.plant('x.tar.xz', content=b'before')
        with self.assertRaises(FileNotFoundError):
            pack.compress(os.path.join(self.folder, 'nowhere'), output)
        with open(output, 'rb') as stream:
            self.assertEqual(stream.read(), b'before')
        self.assertEqual(os.listdir(self.folder), ['x.tar.xz'])


if __name__ == '__main__':
    xml_unittest.main()
