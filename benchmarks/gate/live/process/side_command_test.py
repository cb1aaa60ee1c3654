"""Commands of sides: their words, whether two are one program, and the surroundings that they start in."""
import hashlib
import os
import shutil
import tempfile
import unittest

from benchmarks.gate.live.process import side_command
from benchmarks.gate.recording import GateError, Side
from tools import xml_unittest


class SideCommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))
        for name, content in (('a', b'\x7fELF one'), ('b', b'\x7fELF two'), ('script', b'#!/bin/sh\n')):
            self.write(name, content)

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, 'wb') as file:
            file.write(content)
        os.chmod(path, 0o755)

    def same(self, baseline, candidate):
        return side_command.same_program(baseline, candidate, self.folder)

    def test_words_are_those_of_a_shell(self):
        self.assertEqual(side_command.command("'a b' --x=1 --y='2 3'", '--baseline'), ('a b', '--x=1', '--y=2 3'))
        self.assertEqual(side_command.words('', '--arguments'), ())
        for text, words in (('', 'is empty'), ('  ', 'is empty'), ("it's", 'No closing quotation')):
            with self.assertRaisesRegex(GateError, words):
                side_command.command(text, '--baseline')

    def test_a_side_has_the_digest_of_its_file(self):
        digest = hashlib.sha256(b'\x7fELF one').hexdigest()
        self.assertEqual(side_command.side(('./a', '-x'), self.folder, 'c1'), Side(('./a', '-x'), 'c1', digest))
        self.assertEqual(side_command.side(('./none',), self.folder), Side(('./none',)))
        self.assertNotEqual(side_command.side(('sh',), self.folder).program, '')

    def test_one_file_under_two_names_is_one_program(self):
        os.symlink('a', os.path.join(self.folder, 'link'))
        os.link(os.path.join(self.folder, 'a'), os.path.join(self.folder, 'hard'))
        self.assertTrue(self.same(('./a', '-x'), ('./link', '-x')))
        self.assertTrue(self.same(('./a',), (os.path.join(self.folder, 'hard'),)))
        self.assertFalse(self.same(('./a',), ('./a', '--slower')))
        self.assertFalse(self.same(('./a',), ('./b',)))
        self.assertFalse(self.same(('./none',), ('./a',)))

    def test_a_copy_is_the_same_program_unless_it_is_a_script(self):
        # A script may start whatever lies beside it.
        for name in ('a', 'script'):
            shutil.copy(os.path.join(self.folder, name), os.path.join(self.folder, 'copy'))
            self.assertEqual(self.same((f'./{name}',), ('./copy',)), name == 'a')

    def test_runs_where_the_user_is_without_what_is_the_gates(self):
        own = os.path.join(self.folder, 'gate.runfiles')
        os.mkdir(own)
        options = side_command.surroundings({
            'BUILD_WORKING_DIRECTORY': self.folder, 'BUILD_WORKSPACE_DIRECTORY': 'x', 'RUNFILES_DIR': own,
            'PYTHONPATH': f'{own}/lockstep:{own}:lib', 'HOME': 'home'})
        self.assertEqual(options, {'cwd': self.folder, 'env': {'HOME': 'home', 'PYTHONPATH': 'lib'}})
        for users in ({'PYTHONPATH': 'lib'}, {}):
            self.assertEqual(side_command.surroundings(users), {'cwd': os.getcwd(), 'env': users})


if __name__ == '__main__':
    xml_unittest.main()
