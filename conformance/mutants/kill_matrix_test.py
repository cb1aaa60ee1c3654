import unittest

from conformance.mutants import kill_matrix
from conformance.mutants.mutant import Mutant
from tools import xml_unittest

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


if __name__ == '__main__':
    xml_unittest.main()
