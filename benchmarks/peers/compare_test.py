import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from tools import xml_unittest

import compare

# A program that does as its arguments say: prints a result, or writes it to a file.
FAKE = """
import json, sys
speed, file = float(sys.argv[1]), sys.argv[2]
if speed == 0: sys.exit("no speed")
entry = {"name": "Train/replicas:2/global_batch_size:8", "images_per_second": speed, "trained": speed > 1}
if file == "-": print(json.dumps(entry | {"samples": [speed, speed]}))
else: json.dump({"benchmarks": [entry]}, open(file, "w"))
"""


class CompareTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.result = pathlib.Path(folder.name, "result.json")
        self.fake = pathlib.Path(folder.name, "fake.py")
        self.fake.write_text(FAKE)

    def compare(self, ours, peer, *flags):
        command = [sys.executable, compare.__file__, "training", "--only=peer"]
        command += [f"--ours={{python}} {self.fake} {ours} {{json}}", "--rounds=3"]
        command += [f"--peer=peer={{python}} {self.fake} {peer} -"]
        command += [f"--python={sys.executable}", f"--json={self.result}"]
        return subprocess.run([*command, *flags], capture_output=True, text=True)

    def commands(self, *flags):
        with unittest.mock.patch.object(sys, "argv", ["compare", *flags]):
            return compare.commands(compare.parse_arguments())

    def test_prints_the_ratio_and_writes_every_run(self):
        done = self.compare(30, 20)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(
            done.stdout,
            r"replicas:2/global_batch_size:8 +peer +30 +20 +1\.50 +1\.50 \.\. 1\.50",
        )
        result = json.loads(self.result.read_text())
        self.assertTrue(result["context"]["complete"])
        programs = [entry["program"] for entry in result["benchmarks"]]
        ours, peer = "lockstep", "peer"
        self.assertEqual(programs, [ours, peer, peer, ours, ours, peer])
        self.assertEqual(result["ratios"][0]["ratios"], [1.5, 1.5, 1.5])

    def test_the_result_goes_where_a_link_leads(self):
        link = self.result.with_name("link")
        link.symlink_to(self.result)
        done = self.compare(30, 20, f"--json={link}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(link.is_symlink())
        self.assertTrue(json.loads(self.result.read_text())["context"]["complete"])

    def test_a_place_for_no_file_is_refused_before_the_work(self):
        self.fake.write_text("raise SystemExit('this ran')")
        folder = self.result.parent
        for place in ("/dev/null", "", folder, folder / "no/such/file"):
            done = self.compare(30, 20, f"--json={place}")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("argument --json", done.stderr)
            self.assertNotIn("this ran", done.stderr)

    def test_each_workload_has_its_peers(self):
        document = self.commands("training")
        self.assertIn("keras_fit/2", document)
        flags = "--peer-flags=--batch 2"
        resnet50 = self.commands("training", "--workload=resnet50", flags)
        self.assertIn("pytorch_compiled/1", resnet50)
        for command in resnet50.values():
            self.assertRegex(command, "--workload resnet50 .*--batch 2$")

    def test_a_program_that_fails_is_named_and_what_ran_is_kept(self):
        done = self.compare(30, 0)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no speed", done.stderr)
        result = json.loads(self.result.read_text())
        self.assertFalse(result["context"]["complete"])
        self.assertEqual(len(result["benchmarks"]), 1)

    def test_with_keep_going_the_others_are_still_compared(self):
        once = self.fake.with_name("once.py")  # works the first time only
        once.write_text("import os, sys\nif os.path.exists(__file__ + '.ran'): "
                        "sys.exit('no speed')\nopen(__file__ + '.ran', 'w')" + FAKE)
        bad = f"--peer=bad={{python}} {once} 20 -"
        done = self.compare(30, 20, "--only=peer,bad", bad, "--keep-going")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not compared: bad", done.stderr)
        self.assertIn(" peer ", done.stdout)
        result = json.loads(self.result.read_text())
        self.assertIn("no speed", result["failures"]["bad"])
        self.assertEqual([ratio["peer"] for ratio in result["ratios"]], ["peer"])

    def test_a_gpu_has_peers_of_its_own(self):
        for workload in ("fashion_mnist_cnn", "resnet50"):
            peers = self.commands(
                "training", "--device=gpu", f"--workload={workload}"
            )
            self.assertEqual(set(peers), {"pytorch_single/1", "pytorch_cuda_graphs/1"})
            for command in peers.values():
                self.assertIn("--device gpu", command)

    def test_a_program_that_computed_wrongly_is_not_compared(self):
        done = self.compare(30, 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Train/replicas:2/global_batch_size:8: trained", done.stderr)


if __name__ == "__main__":
    xml_unittest.main()
