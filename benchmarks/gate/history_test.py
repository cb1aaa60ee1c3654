"""The file to which each gate adds its lines."""

import datetime
import fcntl
import json
import multiprocessing
import os
import resource
import signal
from unittest import mock

import jsonschema

from benchmarks.gate import history, verdict
from benchmarks.gate.gate_testing import (
    LOADED,
    MACHINE,
    FolderTest,
    jittered,
    line,
    nights,
    pair,
    recordings,
    without_load,
)
from benchmarks.gate.recording import GateError, Side
from tools import xml_unittest

DATE = datetime.datetime(2026, 11, 23, 6, 20, tzinfo=datetime.timezone.utc)
WRITERS, GATES = 4, 25
GOOD = history.to_text(line(0.01)).encode()


class HistoryCase(FolderTest):
    def setUp(self):
        super().setUp()
        self.file = self.path("h.jsonl")

    def append(self, taken, date=DATE, note=""):
        history.append(self.file, verdict.judge(taken), taken, date, note)

    def write_lines(self, lines):
        self.write("h.jsonl", "".join(history.to_text(each) + "\n" for each in lines))

    def content(self):
        with open(self.file, "rb") as file:
            return file.read()


class AppendTest(HistoryCase):
    def test_a_line_a_test_comes_back_as_it_was(self):
        taken = recordings(jittered(1.1, others=LOADED), baseline=Side(("a", "b c"), "a1", "d1"))
        self.append(taken, note="größer")
        (cpu, wall), notes = history.read(self.file)
        interval = verdict.judge(taken).tests[0].interval
        self.assertEqual(notes, [])
        self.assertIn("größer".encode(), self.content())
        self.assertEqual(
            (cpu.date, cpu.entry, cpu.metric, cpu.outcome, cpu.delta, cpu.reason, cpu.note),
            ("2026-11-23T06:20:00Z", "Train/a", "cpu", "regression", 0.03, "", "größer"),
        )
        self.assertEqual((cpu.estimate, cpu.lower, cpu.upper), (interval.estimate, interval.lower, interval.upper))
        self.assertEqual(
            (cpu.baseline, cpu.candidate, cpu.machine, cpu.method), (taken.baseline, taken.candidate, MACHINE, "paced")
        )
        self.assertAlmostEqual(cpu.others_share, LOADED)
        self.assertEqual((wall.metric, wall.outcome, wall.estimate), ("wall", "not judged", None))
        self.assertIn("quiet in 0 of 4", wall.reason)

    def test_every_line_fits_the_schema(self):
        kinds = jittered(1.1), jittered(1.0, others=LOADED), [without_load(pair())] * 4, jittered(1.0, 2), []
        for seed, pairs in enumerate(kinds):
            self.append(recordings(pairs, seed=seed))
        with open(history.SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        rows = self.content().splitlines()
        self.assertEqual(len(rows), 8)  # nothing was recorded in the last one
        for row in rows:
            jsonschema.validate(json.loads(row), schema, jsonschema.Draft7Validator)
        self.assertEqual(history.read(self.file)[1], [])

    def test_a_gate_that_is_judged_again_is_the_same_one(self):
        begun, whole = recordings(jittered(1.04, 4), stopped="budget"), recordings(jittered(1.04, 12))
        self.append(begun)
        self.append(recordings(jittered(1.0), seed=9))
        self.append(whole, DATE + datetime.timedelta(days=1), note="accepted")
        self.append(whole, DATE + datetime.timedelta(days=2))
        found, _ = history.read(self.file)
        self.assertEqual(
            [(each.metric, each.note) for each in found],
            [("cpu", "accepted"), ("wall", "accepted"), ("cpu", ""), ("wall", "")],
        )
        self.assertEqual({each.date for each in found}, {"2026-11-23T06:20:00Z"})
        self.assertEqual(found[0].estimate, verdict.judge(whole).tests[0].interval.estimate)
        self.assertEqual(len(self.content().splitlines()), 8)

    def test_what_is_there_stays_and_a_torn_line_swallows_nothing(self):
        self.write("h.jsonl", b'{"torn')
        self.append(recordings(jittered(1.0)))
        self.assertTrue(self.content().startswith(b'{"torn\n{"format": 1'))
        found, notes = history.read(self.file)
        self.assertEqual(len(found), 2)
        self.assertEqual(notes, [f"[history] {self.file}: skipped line 1: not JSON"])

    def test_all_or_none_where_there_is_no_room(self):
        self.append(recordings(jittered(1.0)))
        before = self.content()
        writer = multiprocessing.get_context("fork").Process(target=_append_beyond, args=(self.file, len(before) + 100))
        writer.start()
        writer.join(30)
        self.assertEqual(writer.exitcode, 0)
        self.assertEqual(self.content(), before)

    def test_a_gate_waits_while_another_one_writes(self):
        writer = multiprocessing.get_context("fork").Process(target=_append_many, args=(self.file, 0, 1))
        with open(self.file, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            writer.start()
            writer.join(1)
            meanwhile = writer.exitcode, self.content()
            fcntl.flock(file, fcntl.LOCK_UN)  # closing is not enough: the writer has inherited it
        writer.join(30)
        self.assertEqual(meanwhile, (None, b""))
        self.assertEqual(writer.exitcode, 0)
        self.assertEqual(len(history.read(self.file)[0]), 8)

    def test_gates_at_once_do_not_tear_lines(self):
        context = multiprocessing.get_context("fork")
        writers = [context.Process(target=_append_many, args=(self.file, number)) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join(60)
        self.assertEqual([writer.exitcode for writer in writers], [0] * WRITERS)
        found, notes = history.read(self.file)
        self.assertEqual(notes, [])
        self.assertEqual(len(found), WRITERS * GATES * 8)
        gates = [json.loads(row)["gate"] for row in self.content().splitlines()]
        for first in range(0, len(gates), 8):  # the lines of a gate stand together
            self.assertEqual(len(set(gates[first : first + 8])), 1)


def _append_many(path, number, gates=GATES):
    names = tuple(f"Train/{name}" * 40 for name in "abcd")
    for gate in range(gates):
        taken = recordings([pair(1.0, names=names)] * 4, seed=100 * number + gate)
        history.append(path, verdict.judge(taken), taken, DATE)


def _append_beyond(path, most):
    """Ends well if a file that may not grow beyond `most` bytes is an OSError."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    taken = recordings(jittered(1.1))
    try:
        history.append(path, verdict.judge(taken), taken, DATE)
    except OSError:
        os._exit(0)
    os._exit(1)


class CheckTest(HistoryCase):
    def test_what_can_be_written_stays_as_it_is(self):
        history.check_appendable(self.file)
        self.assertFalse(os.path.exists(self.file))
        self.write("h.jsonl", b"old\n")
        history.check_appendable(self.file)
        self.assertEqual(self.content(), b"old\n")

    def test_what_cannot_be_added_to_is_refused(self):
        folder = os.path.dirname(self.file)
        os.mkfifo(self.file)
        for path, problem in (
            (folder, IsADirectoryError),
            (os.path.join(folder, "none", "h"), FileNotFoundError),
            (self.file, OSError),
            ("/dev/null", OSError),
        ):
            with self.subTest(path=path), self.assertRaises(problem):
                history.check_appendable(path)

    def test_a_folder_that_may_not_be_written_is_refused(self):
        with mock.patch.object(history.os, "access", return_value=False), self.assertRaises(PermissionError):
            history.check_appendable(self.file)


class ReadTest(HistoryCase):
    def skipped(self, *rows):
        """The reasons for which rows after a good one are left out."""
        self.write("h.jsonl", b"".join(row + b"\n" for row in (GOOD, *rows)))
        found, notes = history.read(self.file)
        self.assertEqual(found, [line(0.01)])
        prefix = f"[history] {self.file}: skipped "
        self.assertTrue(all(note.startswith(prefix) for note in notes))
        return [note[len(prefix) :] for note in notes]

    def changed(self, **changes):
        return json.dumps({**json.loads(GOOD), **changes}).encode()

    def test_damaged_lines_are_skipped_and_named(self):
        self.assertEqual(
            self.skipped(b"garbage", GOOD[:-1], b"\xff\xfe", b"", b"[" * 100000, b"1" * 5000),
            [
                "lines 2, 3 and 4: not JSON",
                "line 6: nested deeper than 200 levels",
                f"line 7: no double holds the number {'1' * 40}...",
            ],
        )
        self.assertEqual(self.skipped(*[b"x"] * 20), ["lines 2, 3, 4, 5, 6, 7, 8, 9 and 12 more: not JSON"])

    def test_other_formats_are_skipped_and_named(self):
        self.assertEqual(
            self.skipped(self.changed(format=0), self.changed(format="2"), self.changed(format=0)),
            ["lines 2 and 4: format 0, wanted 1", 'line 3: format "2", wanted 1'],
        )

    def test_lines_that_do_not_fit_the_schema_are_skipped_with_the_place(self):
        for changes, words in (
            ({"estimate": "x"}, r'\["estimate"\]'),
            ({"estimate": None}, r'\["lower"\]|\["upper"\]'),
            ({"lower": None}, r'\["lower"\]'),
            ({"metric": "gpu"}, r'\["metric"\]'),
            ({"date": "today"}, r'\["date"\]'),
            ({"baseline": {}}, r'\["baseline"\]'),
            ({"machine": {}}, r'\["machine"\]'),
            ({"delta": 0}, r'\["delta"\]'),
        ):
            with self.subTest(changes=changes):
                (reason,) = self.skipped(self.changed(**changes))
                self.assertRegex(reason, "line 2: .*" + words)
        for row in (b"[]", b"3", b"{}"):
            self.assertEqual(len(self.skipped(row)), 1)

    def test_numbers_that_are_none_are_skipped(self):
        for number in (b"NaN", b"Infinity", b"-Infinity", b"1e999", b"1e308", b"1" + b"0" * 400):
            self.assertEqual(len(self.skipped(GOOD.replace(b'"estimate": 0.01', b'"estimate": ' + number))), 1)

    def test_other_machines_are_left_out_where_one_is_given(self):
        other = {**MACHINE, "cores": 64}
        self.write_lines(nights([0.01]) + nights([0.02, 0.03], machine=other))
        found, notes = history.read(self.file, MACHINE)
        self.assertEqual([each.estimate for each in found], [0.01])
        self.assertEqual(notes, [f"[history] {self.file}: skipped lines 2 and 3: of another machine"])
        self.assertEqual(history.read(self.file)[1], [])

    def test_lines_come_by_date(self):
        self.write_lines(reversed(nights([0.01, 0.02, 0.03])))
        self.assertEqual([each.estimate for each in history.read(self.file)[0]], [0.01, 0.02, 0.03])

    def test_a_file_that_cannot_be_read_is_an_error(self):
        for path, words in ((self.file, "No such file"), (os.path.dirname(self.file), "Is a directory")):
            with self.assertRaisesRegex(GateError, rf"\[history\] .*: {words}"):
                history.read(path)


if __name__ == "__main__":
    xml_unittest.main()
