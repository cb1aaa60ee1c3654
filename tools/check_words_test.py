"""The tree is clean of stray words; planted ones are seen."""
import os

from tools import check_words
from tools import source_tree
from tools import xml_unittest


class CheckWordsTest(source_tree.PlantedTree):

    def assert_refused(self, text, word):
        self.plant('a.md', text)
        problems = check_words.check(self.root)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(word, problems[0])

    def test_the_tree_is_clean(self):
        self.assertEqual(check_words.check(source_tree.find_root()), [])

    def test_clean_text_passes(self):
        self.plant('a.md', 'see https://example.org/a/b, //tools:x, a/b/c, 1/2/3, /usr/include/zlib.h,\n'
                           '`/job:worker/replica:0/task:0`, s/a/b/g and /tmp/x.\n'
                           'path = home + "/include/zlib.h"\n'
                           '# TODO: drop the copy when Debian ships oneDNN 3\n')
        self.plant('b.png', '\0 /home/somebody')
        self.assertEqual(check_words.check(self.root), [])

    def test_the_checkout_itself_is_refused(self):
        self.assert_refused('in %s/x\n' % self.root, 'a.md:1: names the place')

    def test_a_home_is_refused(self):
        self.assert_refused('x\nsee /home/somebody/x\n', 'a.md:2: names the place')

    def test_a_folder_of_one_machine_is_refused(self):
        self.assert_refused('reads "/data/mnist"\n', 'absolute path')

    def test_a_bare_note_is_refused(self):
        self.assert_refused('// TODO later\n', 'note without its reason')
        self.assert_refused('// FIXME: this is broken somehow\n', 'note without its reason')

    def test_conflicts_and_line_ends_are_refused(self):
        self.assert_refused('<<<<<<< HEAD\n', 'merge conflict')
        self.assert_refused('a \n', 'space at the end')
        self.assert_refused('a\r\n', 'space at the end')
        self.assert_refused('a\nb', 'a.md:2: no line end')

    def test_text_that_is_not_utf_8_is_refused(self):
        with open(os.path.join(self.root, 'a.md'), 'wb') as stream:
            stream.write(b'gr\xfcn\n')
        self.assertEqual(check_words.check(self.root), ['a.md: neither UTF-8 text nor data'])

    def test_large_files_are_refused(self):
        self.plant('a.bin', '\0' * ((1 << 20) + 1))
        self.plant('datasets/embedded/images', '\0' * ((1 << 20) + 1))
        self.assertEqual(check_words.check(self.root), ['a.bin: 1048577 bytes, at most 1048576'])

    def test_generated_and_private_files_are_not_ours(self):
        for path in ['bazel-bin/a.md', '.git/a.md', 'user.bazelrc', 'tools/__pycache__/a.md']:
            self.plant(path, 'a \n')
        self.plant('.ci/run', 'a \n')
        self.assertEqual(len(check_words.check(self.root)), 1)


if __name__ == '__main__':
    xml_unittest.main()
