"""What happens on a machine with a GPU, with stand-ins for the programs and for the driver."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import unittest

from tools import xml_unittest
from tools.gpu_check import pack

STAND_IN = "tools/gpu_check/stand_in"
DRIVER = "tools/gpu_check/libdriver_stand_in.so"
TESTS = ("killed", "hangs", "segfaults", "fails", "passes")
SECONDS = {"hangs": 1}


def test_entry(place, name):
    return {
        "name": name,
        "group": "first",
        "target": "//fake:%d_%s" % (place, name),
        "test": True,
        "arguments": [],
        "seconds": SECONDS.get(name, 60),
    }


PROGRAMS = [test_entry(place, name) for place, name in enumerate(TESTS)] + [
    {
        "name": "between",
        "group": "first",
        "target": "//fake:4_passes",
        "test": True,
        "arguments": [],
        "seconds": 60,
        "gpus": 2,
    },
    {
        "name": "late",
        "group": "second",
        "target": "//fake:4_passes",
        "seconds": 60,
        "arguments": ["--gtest_output=json:{output}/late.json"],
    },
    {
        "name": "peer",
        "group": "third",
        "script": "scripts.peer",
        "files": ["scripts/*.py"],
        "module": "json",
        "arguments": ["{output}/peer.txt"],
        "seconds": 60,
    },
]


def pack_stand_ins(folder):
    """Packs a tree whose programs are stand-ins. Returns the archive."""
    root = os.path.join(folder, "tree")
    binaries = os.path.join(root, "bazel-bin", "fake")
    os.makedirs(binaries)
    os.makedirs(os.path.join(root, "scripts"))
    for package in ("tools", "reports"):
        os.symlink(os.path.join(os.getcwd(), package), os.path.join(root, package))
    for place, name in enumerate(TESTS):
        binary = os.path.join(binaries, "%d_%s" % (place, name))
        shutil.copy(STAND_IN, binary)
        with open(binary + ".runfiles_manifest", "w", encoding="utf-8") as stream:
            stream.write("lockstep/fake/%d_%s %s\n" % (place, name, binary))
    with open(os.path.join(root, "scripts", "peer.py"), "w", encoding="utf-8") as stream:
        stream.write('import ctypes, sys\nctypes.CDLL("libcuda.so.1")\nopen(sys.argv[1], "w").write("fast")\n')
    archive = os.path.join(folder, "x.tar.xz")
    pack.assemble(root, PROGRAMS, ["images"], [], "abc", archive)
    return archive


class RehearsalTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = os.path.join(os.environ["TEST_TMPDIR"], "rehearsal")
        archive = pack_stand_ins(folder)
        shutil.rmtree(os.path.join(folder, "tree"))  # nothing may be found there any more
        cls.there = os.path.join(folder, "elsewhere")
        os.makedirs(os.path.join(cls.there, "driver"))
        shutil.copy(DRIVER, os.path.join(cls.there, "driver", "libcuda.so.1"))
        cls.environment = {
            "PATH": os.path.join(cls.there, "no_programs"),
            "LD_LIBRARY_PATH": os.path.join(cls.there, "driver"),
        }
        # Python alone, without packages, xz or tar.
        subprocess.run(
            [sys.executable, "-I", "-S", "-m", "tarfile", "-e", archive], cwd=cls.there, check=True, env=cls.environment
        )

    def start(self, *options):
        self.output = os.path.join(self.there, self.id())
        shutil.rmtree(self.output, ignore_errors=True)
        return subprocess.Popen(
            [
                sys.executable,
                "-E",
                "-S",
                os.path.join(self.there, "gpu_check", "check.py"),
                "--output",
                self.output,
                *options,
            ],
            cwd="/",
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def summary(self):
        with open(os.path.join(self.output, "summary.json"), encoding="utf-8") as stream:
            return json.load(stream)

    def outcomes(self):
        return {result["name"]: result["result"] for result in self.summary()["results"]}

    def wait_for(self, name):
        """Until the program runs."""
        log = os.path.join(self.output, "log.txt")
        for _ in range(600):
            if os.path.exists(log):
                with open(log, encoding="utf-8") as stream:
                    if name in stream.read():
                        return
            time.sleep(0.05)
        self.fail("%s did not start" % name)

    def check_archive(self):
        """All files but the temporary ones, as they are."""
        with tarfile.open(self.output + ".tar.gz") as archive:
            inside = {
                os.path.basename(member.name): archive.extractfile(member).read()
                for member in archive.getmembers()
                if member.isfile()
            }
        outside = {}
        for name in set(os.listdir(self.output)) - {"tmp"}:
            with open(os.path.join(self.output, name), "rb") as stream:
                outside[name] = stream.read()
        self.assertEqual(inside, outside)
        return outside

    def test_all_run_whatever_became_of_those_before(self):
        process = self.start()
        output, _ = process.communicate()
        self.assertEqual(process.returncode, 1, output)
        self.assertEqual(
            self.outcomes(),
            {
                "killed": "failed",
                "hangs": "timed out",
                "segfaults": "failed",
                "fails": "failed",
                "passes": "passed",
                "between": "not applicable",
                "late": "passed",
                "peer": "passed",
            },
        )
        results = {result["name"]: result for result in self.summary()["results"]}
        case = "[ RUN      ] StandIn.DoesAsItsNameSays"
        self.assertEqual(
            [results[name]["why"] for name in ("killed", "hangs", "segfaults")],
            ["SIGKILL: " + case, "over 1 s: " + case, "SIGSEGV: " + case],
        )
        self.assertEqual(results["fails"]["why"], "StandIn.DoesAsItsNameSays")
        self.assertEqual((results["fails"]["cases"], results["fails"]["failed_cases"]), (2, 1))
        verdict = {line["name"]: line for line in self.summary()["verdicts"]}["gpu_tests"]
        self.assertEqual(verdict["verdict"], "not met")
        self.assertTrue(verdict["got"].startswith("1 of 5 passed; killed: failed (SIGKILL"))
        self.assertTrue(verdict["got"].endswith("1 more; between: not applicable"))
        files = self.check_archive()
        self.assertEqual(set(files), {"late.json", "log.txt", "peer.txt", "summary.json", "summary.md"})
        self.assertIn(b"driver in " + os.path.join(self.there, "driver").encode(), files["log.txt"])

    def test_one_group_is_met_by_itself(self):
        process = self.start("--group=first", "--only=[pb]*")
        output, _ = process.communicate()
        self.assertEqual(process.returncode, 0, output)
        self.assertEqual(self.outcomes(), {"passes": "passed", "between": "not applicable"})

    def test_an_interrupted_check_reports_what_ran(self):
        for number, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            process = self.start("--stretch=100")
            self.wait_for("1_hangs")
            process.send_signal(number)
            output, _ = process.communicate(timeout=30)  # the pipe ends: what hung is no more
            self.assertEqual(process.returncode, status, output)
            results = {result["name"]: result for result in self.summary()["results"]}
            self.assertEqual(results["killed"]["result"], "failed")
            for name in ("hangs", "segfaults", "peer"):
                self.assertEqual(
                    (results[name]["result"], results[name]["why"]), ("not run", "stopped by " + number.name)
                )
            self.assertEqual(len(results), len(PROGRAMS))
            self.check_archive()

    def test_what_ran_is_on_disk_when_it_is_killed(self):
        process = self.start("--only=[hkp]*", "--stretch=3")
        self.wait_for("4_passes")
        process.kill()
        process.communicate()
        self.assertEqual(list(self.outcomes())[:2], ["killed", "hangs"])
        with tarfile.open(self.output + ".tar.gz") as archive:
            self.assertLessEqual(
                {os.path.basename(self.output) + "/" + file for file in ("log.txt", "summary.json", "summary.md")},
                set(archive.getnames()),
            )


if __name__ == "__main__":
    xml_unittest.main()
