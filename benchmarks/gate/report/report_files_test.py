"""The files that a verdict goes to."""
import argparse
import contextlib
import dataclasses
import datetime
import io
import json
import os
import tempfile
import unittest

from benchmarks.gate import verdict
from benchmarks.gate.history import history
from benchmarks.gate.recording_testing import jittered, recordings
from benchmarks.gate.report import report_files, report_html, report_markdown, report_text, verdict_json
from tools import xml_unittest

TAKEN = recordings(jittered(1.1))
VERDICT = verdict.judge(TAKEN)


class ReportFilesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))

    def path(self, name):
        return os.path.join(self.folder, name)

    def open(self, *arguments):
        parser = argparse.ArgumentParser()
        report_files.add_arguments(parser)
        return report_files.ReportFiles(parser.parse_args(arguments))

    def written(self, name):
        with open(self.path(name), encoding='utf-8') as file:
            return file.read()

    def printed(self, *arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.open(*arguments).write_all(VERDICT, TAKEN)
        return out.getvalue()

    def test_each_file_gets_its_report_and_the_terminal_the_text(self):
        text = self.printed(*(f'--{kind}={self.path(kind)}' for kind in ('json', 'markdown', 'html')))
        self.assertEqual(text, report_text.render(VERDICT, TAKEN))
        self.assertEqual(json.loads(self.written('json')), verdict_json.of(VERDICT, TAKEN))
        self.assertEqual(self.written('markdown'), report_markdown.render(VERDICT, TAKEN))
        self.assertEqual(self.written('html'), report_html.render(VERDICT, TAKEN))

    def test_a_gate_is_added_to_the_history_with_its_note(self):
        path = self.path('h')
        self.printed(f'--history={path}', '--note=accepted')
        lines, notes = history.read(path)
        self.assertEqual(notes, [])
        self.assertEqual([(each.metric, each.note) for each in lines], [('cpu', 'accepted'), ('wall', 'accepted')])
        age = datetime.datetime.now(datetime.timezone.utc) - datetime.datetime.strptime(
            lines[0].date, '%Y-%m-%dT%H:%M:%SZ').replace(tzinfo=datetime.timezone.utc)
        self.assertLess(abs(age.total_seconds()), 600)

    def test_the_page_has_this_gate_and_those_before(self):
        path = self.path('h')
        earlier = dataclasses.replace(TAKEN, seed=1)
        history.append(path, VERDICT, earlier, datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc))
        self.printed(f'--history={path}', f'--html={self.path("html")}')
        self.assertEqual(self.written('html').count('Gates against this baseline'), 2)
        self.assertIn('>2026-01-02</text>', self.written('html'))

    def test_without_options_there_is_text_alone(self):
        self.assertEqual(self.printed(), report_text.render(VERDICT, TAKEN))
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_cannot_be_written_is_refused_before_the_work(self):
        for kind in ('json', 'markdown', 'html', 'history'):
            with self.assertRaises(OSError):
                self.open(f'--{kind}={self.path("none/file")}')


if __name__ == '__main__':
    xml_unittest.main()
