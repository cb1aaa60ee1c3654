import json
import os
import unittest

from tools import xml_unittest
from tools.gpu_check import check, verdicts
from tools.gpu_check.run_results import SUMMARY


class ProgramsTest(unittest.TestCase):
    def setUp(self):
        with open('tools/gpu_check/programs.json', encoding='utf-8') as stream:
            self.planned = json.load(stream)

    def test_a_group_takes_less_than_ten_minutes_even_if_all_of_it_hangs(self):
        tests = {'group': self.planned['tests']['group'], 'seconds': 20 * self.planned['tests']['seconds']}
        for group in check.GROUPS:
            seconds = [program['seconds'] for program in [tests, *self.planned['programs']]
                       if program['group'] == group]
            self.assertLessEqual(sum(seconds), 560, group)

    def test_names_are_unique_and_each_has_a_program_or_a_script(self):
        names = [program['name'] for program in self.planned['programs']]
        self.assertEqual(len(names), len(set(names)))
        for program in self.planned['programs']:
            self.assertEqual(('target' in program) + ('script' in program), 1, program['name'])

    def test_a_script_is_among_the_files_that_travel(self):
        patterns = [pattern for program in self.planned['programs'] for pattern in program.get('files', [])]
        for program in self.planned['programs']:
            if 'script' in program:
                self.assertIn(os.path.dirname(program['script']) + '/*.py', patterns)
                self.assertTrue(os.path.exists(program['script']))

    def test_what_a_program_writes_goes_into_the_results(self):
        for program in self.planned['programs']:
            for word in program['arguments']:
                if word.startswith(('--json=', '--trace=', '--benchmark_out=')):
                    self.assertIn('={output}/', word)

    def test_every_verdict_reads_a_file_that_the_program_of_its_name_writes(self):
        written = {'--json={output}/%s.json' % program['name']: program['arguments']
                   for program in self.planned['programs']}
        for line in verdicts.LINES:
            if line.file != SUMMARY:
                word = '--json={output}/' + line.file
                self.assertIn(word, written.get(word, []), line.name)

    def test_what_a_strategy_costs_is_measured(self):
        scaling = [program for program in self.planned['programs'] if program['name'] == 'scaling_fashion_mnist_cnn']
        self.assertIn('--baseline', scaling[0]['arguments'])

    def test_accuracy_is_of_as_many_epochs_as_the_verdict_reads(self):
        accuracy = [program for program in self.planned['programs'] if program['name'].startswith('accuracy_')]
        self.assertEqual([program['data'] for program in accuracy], ['full'])
        self.assertIn('--epochs=%d' % verdicts.EPOCHS, accuracy[0]['arguments'])


if __name__ == '__main__':
    xml_unittest.main()
