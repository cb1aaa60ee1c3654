"""Mutants: their files, the tree they are built in, and the page of who noticed them."""
import contextlib
import io
import json
import os
import unittest
import unittest.mock

from conformance.mutants import apply
from conformance.mutants import kill_matrix
from conformance.mutants import mutant
from conformance.mutants import run
from conformance.mutants import scratch_tree
from conformance.mutants.mutant import Mutant
from tools import source_tree
from tools import xml_unittest


FIELDS = {'name': 'lost', 'file': 'reference/a.cc', 'find': 'x + 1', 'replace': 'x', 'states': 'One is lost.',
          'killed_by': ['a/b/c']}


class MutantTest(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.join(os.environ['TEST_TMPDIR'], self.id())
        os.makedirs(os.path.join(self.folder, mutant.FOLDER))

    def write(self, name, text):
        path = os.path.join(self.folder, mutant.FOLDER, name)
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(text)
        return path

    def test_applies(self):
        self.assertEqual(mutant.Mutant(**FIELDS).apply('return x + 1;'), 'return x;')

    def test_wants_its_text_once(self):
        for text, count in (('return x;', 0), ('x + 1, x + 1', 2)):
            with self.assertRaisesRegex(mutant.MutantError, 'lost: wanted .* reference/a.cc, found it %d' % count):
                mutant.Mutant(**FIELDS).apply(text)

    def test_loads_all_by_name(self):
        for name in ('lost', 'found'):
            self.write(name + '.json', json.dumps(FIELDS | {'name': name}))
        self.assertEqual([m.name for m in mutant.load_all(self.folder)], ['found', 'lost'])

    def test_refuses_what_is_no_mutant(self):
        for text in ('{', '{"name": "lost"}', json.dumps(FIELDS | {'because': 'so'})):
            with self.assertRaisesRegex(mutant.MutantError, 'lost.json'):
                mutant.load(self.write('lost.json', text))
        with self.assertRaisesRegex(mutant.MutantError, 'wanted the name of its file, got lost'):
            mutant.load(self.write('found.json', json.dumps(FIELDS)))

    def test_apply_writes_a_copy(self):
        path = self.write('lost.json', json.dumps(FIELDS))
        source, output = self.write('a.cc', 'return x + 1;'), os.path.join(self.folder, 'out.cc')
        apply.main(path, source, output)
        with open(output, encoding='utf-8') as stream:
            self.assertEqual(stream.read(), 'return x;')


PASSED, FAILED, TOLD = ('passed', False), ('failed', False), ('passed', True)
BASELINE = {'a/b/c': PASSED, 'a/b/d': PASSED, 'x/y/z': TOLD}


def make_mutant(name, *killed_by):
    return Mutant(name, 'reference/a.cc', 'x + 1', 'x', 'The <%s> one is lost.' % name, list(killed_by))


def make_rows():
    return [kill_matrix.compare(make_mutant('killed', 'a/b/c'), BASELINE, BASELINE | {'a/b/c': FAILED}),
            kill_matrix.compare(make_mutant('survivor', 'a/b/c'), BASELINE, BASELINE),
            kill_matrix.Row(make_mutant('broken', 'a/b/c'), build_error='a.cc:1: error: & so on')]


class KillMatrixTest(unittest.TestCase):
    def test_a_changed_verdict_kills(self):
        row = kill_matrix.compare(make_mutant('m', 'a/b/c'), BASELINE, BASELINE | {'a/b/c': FAILED})
        self.assertEqual((row.result, row.killed_by, row.as_named), ('killed', ['a/b/c'], True))

    def test_a_changed_observation_that_is_only_told_kills(self):
        row = kill_matrix.compare(make_mutant('m'), BASELINE, BASELINE | {'a/b/c': TOLD, 'x/y/z': PASSED})
        self.assertEqual(row.killed_by, ['a/b/c', 'x/y/z'])

    def test_a_case_without_a_result_kills(self):
        row = kill_matrix.compare(make_mutant('m'), BASELINE, {'a/b/c': PASSED, 'x/y/z': TOLD})
        self.assertEqual(row.killed_by, ['a/b/d'])

    def test_the_same_results_are_a_survivor(self):
        row = kill_matrix.compare(make_mutant('m', 'a/b/c'), BASELINE, dict(BASELINE))
        self.assertEqual((row.result, row.as_named), ('survived', False))

    def test_a_named_case_that_does_not_notice_is_told(self):
        row = kill_matrix.compare(make_mutant('m', 'a/b/d'), BASELINE, BASELINE | {'a/b/c': FAILED})
        self.assertEqual((row.result, row.not_by, row.as_named), ('killed', ['a/b/d'], False))
        self.assertEqual(kill_matrix.describe(row), 'm: killed by 1 cases, but not by a/b/d')

    def test_what_does_not_build_is_neither(self):
        row = kill_matrix.Row(make_mutant('m', 'a/b/c'), build_error='error')
        self.assertEqual((row.result, row.as_named), ('does not build', False))

    def test_json(self):
        document = kill_matrix.to_json(make_rows())
        self.assertEqual(document['summary'], '1 killed, 1 survived, 1 does not build')
        self.assertEqual([m['result'] for m in document['mutants']], ['killed', 'survived', 'does not build'])
        self.assertEqual(document['mutants'][0]['killed_by'], ['a/b/c'])

    def test_markdown(self):
        text = kill_matrix.to_markdown(make_rows())
        self.assertIn('| killed | The <killed> one is lost. | killed by 1 | a/b/c |', text)
        self.assertIn('| survivor | The <survivor> one is lost. | survived | a/b/c |', text)

    def test_html(self):
        text = kill_matrix.to_html(make_rows())
        self.assertIn('1 killed, 1 survived, 1 does not build', text)
        self.assertIn('The &lt;killed&gt; one is lost.', text)
        self.assertIn('error: &amp; so on', text)
        self.assertIn('<th class="topic">a/b</th>', text)
        self.assertNotIn('http', text)


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
echo '{"cases": [{"id": "a/b/c", "verdict": "'$verdict'", "as_stated": true}]}' > "$json"
'''


def planted_fields(name, replace, killed_by=('a/b/c',)):
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
        planted = mutant.Mutant(**planted_fields('fails', 'failed'))
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
        self.assertEqual(self.tree.run(), {'a/b/c': ('passed', True)})

    def test_the_judge_has_no_bug(self):
        self.tree.prepare()
        self.tree.plant(mutant.Mutant(**planted_fields('fails', 'failed')))
        with open(os.path.join(self.scratch, 'tree/judge'), 'w', encoding='utf-8') as stream:
            stream.write('#!/bin/sh\nexit 3\n')
        self.tree.build()
        self.assertEqual(self.tree.run(), {'a/b/c': ('failed', True)})

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
        self.plant_mutants(planted_fields('fails', 'failed'), planted_fields('breaks', 'broken'))
        status, output = self.run_tool('--json=kills.json', '--html=kills.html', '--markdown=kills.md')
        self.assertEqual(status, 1)
        self.assertIn('[1/2] breaks: does not build', output)
        self.assertIn('[2/2] fails: killed by 1 cases', output)
        with open(os.path.join(self.root, 'kills.json'), encoding='utf-8') as stream:
            self.assertEqual(json.load(stream)['summary'], '1 killed, 0 survived, 1 does not build')
        for name in ('kills.html', 'kills.md'):
            self.assertGreater(os.path.getsize(os.path.join(self.root, name)), 0)

    def test_the_tool_is_content_when_all_are_killed_as_named(self):
        self.plant_mutants(planted_fields('fails', 'failed'), planted_fields('breaks', 'broken'))
        self.assertEqual(self.run_tool('--only=fail*')[0], 0)

    def test_the_tool_complains_of_a_named_case_that_notices_nothing(self):
        self.plant_mutants(planted_fields('fails', 'failed', ['a/b/c', 'a/b/d']))
        status, output = self.run_tool()
        self.assertEqual(status, 1)
        self.assertIn('but not by a/b/d', output)

    def test_the_tool_cannot_run_without_a_mutant(self):
        self.plant_mutants(planted_fields('fails', 'failed'))
        with contextlib.redirect_stderr(io.StringIO()) as error:
            self.assertEqual(self.run_tool('--only=x')[0], 2)
        self.assertIn("none is called like 'x'", error.getvalue())


if __name__ == '__main__':
    xml_unittest.main()
