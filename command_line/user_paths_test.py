"""Tests of user_paths.py."""

import os
import tempfile
import unittest
from unittest import mock

from command_line import user_paths
from tools import xml_unittest


class SurroundingsTest(unittest.TestCase):
    def test_runs_where_the_user_is_without_what_is_the_gates(self):
        folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        own = os.path.join(folder, "gate.runfiles")
        os.mkdir(own)
        options = user_paths.surroundings(
            {
                "BUILD_WORKING_DIRECTORY": folder,
                "BUILD_WORKSPACE_DIRECTORY": "x",
                "RUNFILES_DIR": own,
                "PYTHONPATH": f"{own}/lockstep:{own}:lib",
                "HOME": "home",
            }
        )
        self.assertEqual(options, {"cwd": folder, "env": {"HOME": "home", "PYTHONPATH": "lib"}})
        for users in ({"PYTHONPATH": "lib"}, {}):
            self.assertEqual(user_paths.surroundings(users), {"cwd": os.getcwd(), "env": users})


class UserPathTest(unittest.TestCase):
    def test_relative_names_belong_to_the_users_folder(self):
        with mock.patch.dict(os.environ, {"BUILD_WORKING_DIRECTORY": "/opt/theirs"}):
            self.assertEqual(user_paths.user_path("a/b"), "/opt/theirs/a/b")
            self.assertEqual(user_paths.user_path("/a"), "/a")
            self.assertEqual(user_paths.users_folder(os.environ), "/opt/theirs")
        with mock.patch.dict(os.environ):
            os.environ.pop("BUILD_WORKING_DIRECTORY", None)
            self.assertEqual(user_paths.user_path("a/b"), "a/b")

    def test_names_meant_elsewhere_lose_the_users_folder(self):
        self.assertEqual(user_paths.without_folder({"BUILD_WORKING_DIRECTORY": "/opt/theirs", "A": "1"}), {"A": "1"})


if __name__ == "__main__":
    xml_unittest.main()
