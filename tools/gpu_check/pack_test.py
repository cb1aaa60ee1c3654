"""What is packed: programs, libraries and their list."""

import json
import os
import subprocess
import sys
import tarfile
import unittest

from tools import xml_unittest
from tools.gpu_check import check, libraries, pack, verdicts
from tools.gpu_check.run_results import SUMMARY

NAMES = ["a-images", "a-labels"]


class PackTest(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.join(os.environ["TEST_TMPDIR"], self.id())
        os.makedirs(self.folder)

    def plant(self, *path, content=b""):
        target = os.path.join(self.folder, *path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as stream:
            stream.write(content)
        return target

    def test_check_starts_where_nothing_else_is(self):
        pack.add_check(os.getcwd(), self.folder)
        done = subprocess.run(
            [sys.executable, "-E", "-S", os.path.join(self.folder, "check.py"), "--help"],
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("--data", done.stdout)

    def test_another_package_named_tools_does_not_hide_it(self):
        other = os.path.dirname(self.plant("site", "tools", "__init__.py"))
        there = os.path.join(self.folder, "there")
        os.makedirs(there)
        pack.add_check(os.getcwd(), there)
        done = subprocess.run(
            [sys.executable, os.path.join(there, "check.py"), "--help"],
            cwd="/",
            env=dict(os.environ, PYTHONPATH=os.path.dirname(other)),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_tests_run_folder_by_folder_and_some_have_an_entry_of_their_own(self):
        planned = {
            "tests": {"group": "first", "seconds": 20, "folders": ["//b", "//a"]},
            "programs": [{"name": "slow", "group": "second", "target": "//a:slow_test", "test": True, "seconds": 240}],
        }
        entries = pack.plan(
            planned, ["//c:x_test", "//a:slow_test", "//a/d:y_test", "//b:two_test", "//b:one_test"], ["//b:two_test"]
        )
        self.assertEqual(
            [entry["name"] for entry in entries], ["b.one_test", "b.two_test", "a.d.y_test", "c.x_test", "slow"]
        )
        self.assertEqual([entry.get("gpus") for entry in entries], [None, 2, None, None, None])
        self.assertEqual(
            entries[0],
            {
                "name": "b.one_test",
                "group": "first",
                "target": "//b:one_test",
                "test": True,
                "arguments": [],
                "seconds": 20,
            },
        )

    def test_the_full_data_is_where_check_looks_for_it(self):
        for name in ("a-images.gz", "a-labels", "other.gz"):
            self.plant("mine", "fashion_mnist", name, content=name.encode())
        there = os.path.join(self.folder, "there")
        pack.add_full_data(pack.find_full_data(os.path.join(self.folder, "mine"), NAMES), there)
        found = os.path.join(there, "datasets", "fashion_mnist")
        self.assertEqual(sorted(os.listdir(found)), ["a-images.gz", "a-labels"])
        with open(os.path.join(found, "a-labels"), "rb") as stream:
            self.assertEqual(stream.read(), b"a-labels")

    def test_data_that_is_not_there_is_named(self):
        self.plant("mine", "fashion_mnist", "a-images.gz")
        with self.assertRaisesRegex(pack.PackError, r"mine/fashion_mnist has no a-labels.gz; .*//image_datasets:fetch"):
            pack.find_full_data(os.path.join(self.folder, "mine"), NAMES)
        self.assertEqual(pack.find_full_data(None, NAMES), [])

    def test_what_is_packed_twice_costs_once(self):
        content = os.urandom(9 << 20)  # more than the default preset looks back
        self.plant("package", "bin", "a", content=content)
        self.plant("package", "bin", "b", content=content)
        output = os.path.join(self.folder, "x.tar.xz")
        pack.compress(os.path.join(self.folder, "package"), output)
        self.assertLess(os.path.getsize(output), 1.1 * len(content))
        with tarfile.open(output) as archive:
            self.assertEqual(archive.extractfile("gpu_check/bin/b").read(), content)

    def test_an_archive_that_could_not_be_made_leaves_the_one_before(self):
        output = self.plant("x.tar.xz", content=b"before")
        with self.assertRaises(FileNotFoundError):
            pack.compress(os.path.join(self.folder, "nowhere"), output)
        with open(output, "rb") as stream:
            self.assertEqual(stream.read(), b"before")
        self.assertEqual(os.listdir(self.folder), ["x.tar.xz"])


LDD_OUTPUT = """\tlinux-vdso.so.1 (0x00007ffd)
\tlibcudnn.so.9 => /usr/local/cuda/lib64/libcudnn.so.9 (0x00007f01)
\tlibfmt.so.9 => /lib/x86_64-linux-gnu/libfmt.so.9 (0x00007f02)
\tlibstdc++.so.6 => /lib/x86_64-linux-gnu/libstdc++.so.6 (0x00007f03)
\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f04)
\tlibnccl.so.2 => not found
\t/lib64/ld-linux-x86-64.so.2 (0x00007f05)
"""


class LibrariesTest(unittest.TestCase):
    def test_everything_but_the_c_library_and_cuda_is_brought(self):
        found = libraries.parse(LDD_OUTPUT, "program")
        self.assertEqual(
            libraries.to_bring(found),
            {
                "libfmt.so.9": "/lib/x86_64-linux-gnu/libfmt.so.9",
                "libstdc++.so.6": "/lib/x86_64-linux-gnu/libstdc++.so.6",
            },
        )

    def test_cuda_libraries_are_expected_there(self):
        self.assertEqual(libraries.of_cuda(libraries.parse(LDD_OUTPUT, "program")), ["libcudnn.so.9", "libnccl.so.2"])

    def test_a_missing_library_is_named(self):
        with self.assertRaisesRegex(libraries.MissingLibrary, "program needs libfmt.so.9"):
            libraries.parse("\tlibfmt.so.9 => not found\n", "program")

    def test_a_real_program_is_read(self):
        self.assertIn("libc.so.6", libraries.of_program("/bin/ls"))


class ProgramsTest(unittest.TestCase):
    def setUp(self):
        with open("tools/gpu_check/programs.json", encoding="utf-8") as stream:
            self.planned = json.load(stream)

    def test_a_group_takes_less_than_ten_minutes_even_if_all_of_it_hangs(self):
        tests = {"group": self.planned["tests"]["group"], "seconds": 20 * self.planned["tests"]["seconds"]}
        for group in check.GROUPS:
            seconds = [
                program["seconds"] for program in [tests, *self.planned["programs"]] if program["group"] == group
            ]
            self.assertLessEqual(sum(seconds), 560, group)

    def test_names_are_unique_and_each_has_a_program_or_a_script(self):
        names = [program["name"] for program in self.planned["programs"]]
        self.assertEqual(len(names), len(set(names)))
        for program in self.planned["programs"]:
            self.assertEqual(("target" in program) + ("script" in program), 1, program["name"])

    def test_a_script_is_among_the_files_that_travel(self):
        patterns = [pattern for program in self.planned["programs"] for pattern in program.get("files", [])]
        for program in self.planned["programs"]:
            if "script" in program:
                path = program["script"].replace(".", "/")
                self.assertIn(os.path.dirname(path) + "/*.py", patterns)
                self.assertTrue(os.path.exists(path + ".py"))

    def test_a_script_starts_with_what_travels(self):
        folder = os.path.join(os.environ["TEST_TMPDIR"], self.id())
        package = pack.Package(os.getcwd(), folder)
        for pattern in {pattern for program in self.planned["programs"] for pattern in program.get("files", [])}:
            package.add_files(pattern)
        other = os.path.join(folder, "site", "benchmarks")  # hides nothing of it
        os.makedirs(other)
        with open(os.path.join(other, "__init__.py"), "w", encoding="utf-8"):
            pass
        for script in {program["script"] for program in self.planned["programs"] if "script" in program}:
            done = subprocess.run(
                [sys.executable, "-m", script, "--help"],
                cwd=os.path.join(folder, pack.DATA),
                env=dict(os.environ, PYTHONPATH=os.path.dirname(other)),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_what_a_program_writes_goes_into_the_results(self):
        for program in self.planned["programs"]:
            for word in program["arguments"]:
                if word.startswith(("--json=", "--trace=", "--benchmark_out=")):
                    self.assertIn("={output}/", word)

    def test_every_verdict_reads_a_file_that_the_program_of_its_name_writes(self):
        written = {
            "--json={output}/%s.json" % program["name"]: program["arguments"] for program in self.planned["programs"]
        }
        for line in verdicts.LINES:
            if line.file != SUMMARY:
                word = "--json={output}/" + line.file
                self.assertIn(word, written.get(word, []), line.name)

    def test_what_a_strategy_costs_is_measured(self):
        scaling = [program for program in self.planned["programs"] if program["name"] == "scaling_fashion_mnist_cnn"]
        self.assertIn("--baseline", scaling[0]["arguments"])

    def test_accuracy_is_of_as_many_epochs_as_the_verdict_reads(self):
        accuracy = [program for program in self.planned["programs"] if program["name"].startswith("accuracy_")]
        self.assertEqual([program["data"] for program in accuracy], ["full"])
        self.assertIn("--epochs=%d" % verdicts.EPOCHS, accuracy[0]["arguments"])


if __name__ == "__main__":
    xml_unittest.main()
