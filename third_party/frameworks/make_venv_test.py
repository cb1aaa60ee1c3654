"""The Python environment of the frameworks."""

import ctypes
import os
import pathlib
import subprocess
import tempfile
import unittest

import cuda_stand_ins
import make_venv

from tools import xml_unittest


class CacheDirTest(unittest.TestCase):
    def test_the_projects_own_variable_comes_first(self):
        variables = {"LOCKSTEP_CACHE_DIR": "/tmp/a", "XDG_CACHE_HOME": "/tmp/b"}
        self.assertEqual(make_venv.cache_dir(variables), pathlib.Path("/tmp/a"))

    def test_then_the_desktops(self):
        variables = {"XDG_CACHE_HOME": "/tmp/b", "HOME": "/tmp/c"}
        self.assertEqual(make_venv.cache_dir(variables), pathlib.Path("/tmp/b/lockstep"))

    def test_then_the_home(self):
        found = make_venv.cache_dir({"HOME": "/tmp/c"})
        self.assertEqual(found, pathlib.Path("/tmp/c/.cache/lockstep"))


class EnvironmentNameTest(unittest.TestCase):
    def test_it_changes_with_every_part_and_only_then(self):
        name = make_venv.environment_name("frameworks", ["torch==1", "3.11"])
        self.assertRegex(name, "^frameworks-[0-9a-f]{12}$")
        self.assertEqual(name, make_venv.environment_name("frameworks", ["torch==1", "3.11"]))
        self.assertNotEqual(name, make_venv.environment_name("frameworks", ["torch==2", "3.11"]))
        self.assertNotEqual(name, make_venv.environment_name("frameworks", ["torch==13.1", "1"]))


class RequirementsTest(unittest.TestCase):
    def test_every_package_is_pinned(self):
        for kind, least in (("frameworks", 30), ("linters", 2)):
            lines = make_venv.KINDS[kind][0].read_text().splitlines()
            packages = [line for line in lines if not line.startswith("#")]
            self.assertGreater(len(packages), least)
            for package in packages:
                self.assertRegex(package, r"^[\w.-]+==[\w.]+$")


VERSIONS = "libcudart.so.99 { global: cudaGetDeviceCount; };"


class CudaStandInsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compile(self, name, source, *flags):
        code = self.folder / "source.c"
        code.write_text(source)
        command = ["gcc", "-shared", "-fPIC", "-w", code, "-o", self.folder / name]
        subprocess.run([*command, f"-Wl,-soname,{name}", *flags], check=True)

    def library_without_its_cuda(self):
        """A library that calls a versioned and an unversioned function of CUDA's."""
        script = self.folder / "versions"
        script.write_text(VERSIONS)
        source = "int cudaGetDeviceCount() { return 0; }"
        self.compile("libcudart.so.99", source, f"-Wl,--version-script={script}")
        caller = (
            "int cudaGetDeviceCount(void); int cublasF(void);"
            "int count() { return cudaGetDeviceCount(); } int g() { return cublasF(); }"
        )
        self.compile("libcaller.so", caller, str(self.folder / "libcudart.so.99"))
        (self.folder / "libcudart.so.99").unlink()
        return self.folder / "libcaller.so"

    def test_finds_what_is_missing_by_library_and_version(self):
        self.library_without_its_cuda()
        found = cuda_stand_ins.missing_symbols(self.folder)
        wanted = {"libcudart.so.99": {"cudaGetDeviceCount"}, "": {"cublasF"}}
        self.assertEqual(found, {"libcudart.so.99": wanted})

    def test_calls_reach_a_stand_in_that_says_there_is_no_driver(self):
        library = self.library_without_its_cuda()
        with self.assertRaises(OSError):
            ctypes.CDLL(str(library))
        written = cuda_stand_ins.write_stand_ins(self.folder)
        self.assertEqual(written, ["libcudart.so.99"])
        # torch finds it by its own run path; here it is loaded by hand.
        ctypes.CDLL(str(self.folder / "libcudart.so.99"), mode=ctypes.RTLD_GLOBAL)
        caller = ctypes.CDLL(str(library))
        self.assertEqual((caller.count(), caller.g()), (35, 35))

    def test_a_library_that_is_there_is_left_alone(self):
        self.compile("libcudart.so.99", "int cudaGetDeviceCount() { return 0; }")
        self.assertEqual(cuda_stand_ins.write_stand_ins(self.folder), [])


if __name__ == "__main__":
    xml_unittest.main()
