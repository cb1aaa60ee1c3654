"""The scratch copy, with a bazelw that is a small script, and the whole tool on top of it."""
import contextlib
import io
import json
import os
import unittest.mock

from conformance.mutants import mutant
from conformance.mutants import run
from conformance.mutants import scratch_tree
from tools import source_tree
from tools import xml_unittest

# "Builds" a testee that is the source itself, and a judge that takes its words for verdicts; refuses the
# word `broken`.
BAZELW = r'''#!/bin/sh
grep -q broken reference/a.cc && { echo "a.cc:1: error: broken"; exit 1; }
for target; do
  case "$target" in
    //conformance:run) mkdir -p bazel-bin/conformance && cp judge bazel-bin/conformance/run;;
    //*:pipe) mkdir -p bazel-bin/conformance/testees/reference &&
      cp reference/a.cc bazel-bin/conformance/testees/reference/pipe;;
  esac
done
'''
JUDGE = r'''#!/bin/sh
for argument; do
  case "$argument" in --json=*) json=${argument#--json=};; --testee=*) testee=${argument#--testee=};; esac
done
verdict=$(cat "$testee")
[ "$verdict" = dies ] && { echo "out of memory"; exit 2; }
echo '{"cases": [{"id": "a/b/c", "verdict": "'$verdict'", "observed_differently": false}]}' > "$json"
'''


def make_mutant(name, replace, killed_by=('a/b/c',)):
    return {'name': name, 'file': 'reference/a.cc', 'find': 'passed', 'replace': replace,
            'states': 'It %s.' % replace, 'killed_by': list(killed_by)}


class ScratchTreeTest(source_tree.PlantedTree):
    def setUp(self):
        super().setUp()
        self.plant('reference/a.cc', 'passed')
        for name, text in (('bazelw', BAZELW), ('judge', JUDGE)):
            self.plant(name, text)
            os.chmod(os.path.join(self.root, name), 0o755)
        self.scratch = os.path.join(os.environ['TEST_TMPDIR'], self.id() + '.scratch')
        self.tree = scratch_tree.ScratchTree(self.root, self.scratch)

    def plant_mutants(self, *mutants):
        for fields in mutants:
            self.plant('%s/%s.json' % (mutant.FOLDER, fields['name']), json.dumps(fields))

    def copied(self, path):
        with open(os.path.join(self.scratch, 'tree', path), encoding='utf-8') as stream:
            return stream.read()

    def test_a_mutant_is_planted_in_the_copy_and_taken_out_again(self):
        self.tree.copy()
        planted = mutant.Mutant(**make_mutant('fails', 'failed'))
        self.tree.plant(planted)
        self.assertEqual(self.copied('reference/a.cc'), 'failed')
        with open(os.path.join(self.root, 'reference/a.cc'), encoding='utf-8') as stream:
            self.assertEqual(stream.read(), 'passed')
        self.tree.restore(planted)
        self.assertEqual(self.copied('reference/a.cc'), 'passed')

    def test_a_later_copy_follows_the_workspace_and_leaves_the_rest_alone(self):
        self.plant('reference/gone.cc', 'x')
        self.tree.copy()
        before = os.stat(os.path.join(self.scratch, 'tree/bazelw')).st_mtime_ns
        os.remove(os.path.join(self.root, 'reference/gone.cc'))
        self.plant('reference/a.cc', 'failed')
        self.tree.copy()
        self.assertEqual(self.copied('reference/a.cc'), 'failed')
        self.assertFalse(os.path.exists(os.path.join(self.scratch, 'tree/reference/gone.cc')))
        self.assertEqual(os.stat(os.path.join(self.scratch, 'tree/bazelw')).st_mtime_ns, before)

    def test_results_are_those_of_the_built_program(self):
        self.tree.prepare()
        self.assertEqual(self.tree.run(), {'a/b/c': ('passed', False)})

    def test_the_judge_has_no_bug(self):
        self.tree.prepare()
        self.tree.plant(mutant.Mutant(**make_mutant('fails', 'failed')))
        with open(os.path.join(self.scratch, 'tree/judge'), 'w', encoding='utf-8') as stream:
            stream.write('#!/bin/sh\nexit 3\n')
        self.tree.build()
        self.assertEqual(self.tree.run(), {'a/b/c': ('failed', False)})

    def test_a_build_that_fails_says_why(self):
        self.plant('reference/a.cc', 'broken')
        with self.assertRaisesRegex(scratch_tree.BuildFailed, 'error: broken'):
            self.tree.prepare()

    def test_a_run_without_results_says_why(self):
        self.plant('reference/a.cc', 'dies')
        self.tree.prepare()
        with self.assertRaisesRegex(scratch_tree.RunFailed, 'out of memory'):
            self.tree.run()

    def run_tool(self, *arguments):
        output = io.StringIO()
        environment = {'BUILD_WORKSPACE_DIRECTORY': self.root, 'BUILD_WORKING_DIRECTORY': self.root}
        with unittest.mock.patch.dict(os.environ, environment), contextlib.redirect_stdout(output):
            status = run.main(['--scratch=' + self.scratch, *arguments])
        return status, output.getvalue()

    def test_the_tool_tells_the_killed_from_the_rest(self):
        self.plant_mutants(make_mutant('fails', 'failed'), make_mutant('breaks', 'broken'))
        status, output = self.run_tool('--json=kills.json', '--html=kills.html', '--markdown=kills.md')
        self.assertEqual(status, 1)
        self.assertIn('[1/2] breaks: does not build', output)
        self.assertIn('[2/2] fails: killed by 1 cases', output)
        with open(os.path.join(self.root, 'kills.json'), encoding='utf-8') as stream:
            self.assertEqual(json.load(stream)['summary'], '1 killed, 0 survived, 1 does not build')
        for name in ('kills.html', 'kills.md'):
            self.assertGreater(os.path.getsize(os.path.join(self.root, name)), 0)

    def test_the_tool_is_content_when_all_are_killed_as_named(self):
        self.plant_mutants(make_mutant('fails', 'failed'), make_mutant('breaks', 'broken'))
        self.assertEqual(self.run_tool('--only=fail*')[0], 0)

    def test_the_tool_complains_of_a_named_case_that_notices_nothing(self):
        self.plant_mutants(make_mutant('fails', 'failed', ['a/b/c', 'a/b/d']))
        status, output = self.run_tool()
        self.assertEqual(status, 1)
        self.assertIn('but not by a/b/d', output)

    def test_the_tool_cannot_run_without_a_mutant(self):
        self.plant_mutants(make_mutant('fails', 'failed'))
        with contextlib.redirect_stderr(io.StringIO()) as error:
            self.assertEqual(self.run_tool('--only=x')[0], 2)
        self.assertIn("none is called like 'x'", error.getvalue())


if __name__ == '__main__':
    xml_unittest.main()
