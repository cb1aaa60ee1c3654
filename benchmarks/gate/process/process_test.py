"""A program's budget and what stops it; its children, which leave nothing; the load of the machine and its
fingerprint, from files as Linux writes them."""

import os
import select
import signal
import subprocess
import tempfile
import unittest
from unittest import mock

from benchmarks.gate.process import child_process, machine
from benchmarks.gate.process.budget import Budget, BudgetSpent, Interruption
from benchmarks.gate.process.child_process import ChildProcess
from processes import process_group
from tools import xml_unittest

# user nice system idle iowait irq softirq steal guest guest_nice
STAT = """cpu  300 30 60 9000 500 6 9 15 0 0
cpu0 100 10 20 3000 100 1 2 3 50 0
cpu1 200 20 40 6000 400 5 7 12 0 0
intr 12345
"""
TICKS = os.sysconf("SC_CLK_TCK")


class BudgetTest(unittest.TestCase):
    def test_budget_runs_down(self):
        now = [100.0]
        budget = Budget(5, clock=lambda: now[0])
        budget.check()
        now[0] = 103.0
        self.assertEqual((budget.used(), budget.left()), (3.0, 2.0))
        now[0] = 106.0
        self.assertEqual(budget.left(), 0.0)
        with self.assertRaises(BudgetSpent):
            budget.check()

    def test_waits_no_longer_than_the_budget(self):
        budget = Budget(5, clock=lambda: 100.0)
        for seconds, waited in ((30, 5.0), (2, 2), (-1, 0.0)):
            with mock.patch.object(select, "select", return_value=([], [], [])) as waiting:
                self.assertEqual(budget.wait([], seconds), [])
            waiting.assert_called_once_with([], [], [], waited)

    def test_an_ignored_signal_stays_ignored(self):
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGHUP, before)
        with Interruption() as interruption:
            os.kill(os.getpid(), signal.SIGHUP)
            self.assertIsNone(interruption.number)


class ChildProcessTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.log = os.path.join(folder.name, "stderr")

    def start(self, script, budget=60, **options):
        return ChildProcess(["sh", "-c", script], self.log, Budget(budget), grace=0.1, **options)

    def test_says_how_it_ended_what_it_used_and_its_last_lines(self):
        with self.start('echo one two >&2; printf "\\001\\n" >&2; exit 3') as child:
            self.assertEqual(child.wait([child.ended], 30), [child.ended])
        status, cpu = child.stop()
        self.assertEqual((status, process_group.last_lines(self.log)), (3, ["one two"]))
        self.assertGreaterEqual(cpu, 0)

    def test_nothing_is_left_wherever_it_went(self):
        script = 'trap "" TERM; setsid sh -c "echo started; sleep 300; :" & wait'
        with self.start(script, stdout=subprocess.PIPE) as child:
            self.assertEqual(child.wait([child.stdout], 30), [child.stdout])
            self.assertGreaterEqual(len(process_group.marked(child_process.MARK, child._mark)), 2)
        self.assertEqual(child.stop()[0], -signal.SIGKILL)
        self.assertEqual(process_group.marked(child_process.MARK, child._mark), [])

    def test_a_wait_ends_with_the_budget_and_with_a_log_that_is_too_long(self):
        with self.start("sleep 300", budget=0.2) as child, self.assertRaises(BudgetSpent):
            child.wait([child.ended], 30)
        flood = mock.patch.object(child_process, "LARGEST_LOG", 10)
        with flood, self.start("echo more than ten bytes >&2; sleep 300") as child:
            with self.assertRaises(child_process.LogTooLong):
                child.wait([child.ended], 30)

    def test_what_does_not_start_is_an_error(self):
        with self.assertRaisesRegex(OSError, "No such file"):
            ChildProcess(["/no/such"], self.log, Budget(60))


class MachineTest(unittest.TestCase):
    def file(self, text, name="file"):
        folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)
        return file.name

    def test_busy_is_all_but_idle_and_waiting_for_disks(self):
        stat = self.file(STAT)
        self.assertAlmostEqual(machine.busy_seconds([0], stat), 136 / TICKS)
        self.assertAlmostEqual(machine.busy_seconds([0, 1], stat), (136 + 284) / TICKS)

    def test_unknown_without_the_file_or_with_another_one(self):
        self.assertIsNone(machine.busy_seconds([0], "/no/such"))
        for text in ("", "nothing", STAT.replace("cpu0 100", "cpu0 many"), "cpu0 1 2 3\n"):
            self.assertIsNone(machine.busy_seconds([0], self.file(text)), text)
        self.assertIsNone(machine.busy_seconds([7], self.file(STAT)))

    def test_this_machine_is_busier_after_work(self):
        before = machine.busy_seconds(machine.usable_cpus())
        start = os.times()
        while os.times().user + os.times().system < start.user + start.system + 0.3:
            pass
        self.assertGreaterEqual(machine.busy_seconds(machine.usable_cpus()) - before, 0.2)

    def test_a_watch_tells_what_came_since_it_was_made(self):
        stat = self.file(STAT)
        watch = machine.Watch(stat)
        with open(stat, "w", encoding="ascii") as file:
            file.write(STAT.replace("cpu0 100", "cpu0 107"))
        elapsed, busy = watch.read()
        self.assertGreaterEqual(elapsed, 0)
        self.assertAlmostEqual(busy, 7 / TICKS)
        os.remove(stat)
        self.assertIsNone(watch.read()[1])
        self.assertIsNone(machine.Watch("/no/such").read()[1])

    def test_fingerprint_names_cpu_cores_kernel_and_memory(self):
        cpuinfo = self.file("processor\t: 0\nmodel name\t: Example CPU @ 3 GHz\n\nmodel name\t: Other\n")
        found = machine.fingerprint(cpuinfo, "/no/such")
        self.assertEqual(list(found), ["cpu", "cores", "kernel", "memory_gib"])
        self.assertEqual(found["cpu"], "Example CPU @ 3 GHz")
        self.assertEqual(found["cores"], len(os.sched_getaffinity(0)))
        self.assertEqual(found, machine.fingerprint(cpuinfo, "/no/such"))
        self.assertNotEqual(machine.fingerprint("/no/such", "/no/such")["cpu"], "")

    def test_a_quota_is_reported(self):
        for text, wanted in (("150000 100000\n", 1.5), ("max 100000\n", None), ("rubbish", None)):
            folder = os.path.dirname(self.file(text, "cpu.max"))
            self.assertEqual(machine.fingerprint("/no/such", folder).get("cpu_quota"), wanted)


if __name__ == "__main__":
    xml_unittest.main()
