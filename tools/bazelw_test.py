"""The scripts that start Bazel: bazelw and .ci/run."""

import os
import pwd
import shutil
import subprocess
import tempfile
import unittest

from tools import xml_unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(xml_unittest.__file__)))

BAZEL = """#!/bin/bash
[ -z "$FAKE_BAZELISK" ] || FAKE_VERSION=${USE_BAZEL_VERSION:-$FAKE_VERSION}
if [ "$1" = --version ]; then echo "bazel ${FAKE_VERSION:-no_version}"; exit; fi
printf '%s\\n' "bazel in $PWD: $*" >>"$CALLS"
for argument in "$@"; do
  case $argument in --build_event_json_file=*) [ -z "${FAKE_EVENTS:-}" ] || cp "$FAKE_EVENTS" "${argument#*=}" ;; esac
done
exit ${FAKE_STATUS:-0}
"""
# The package named by FAKE_MISSING counts as installed only after apt-get has run.
DPKG_QUERY = """#!/bin/bash
for name in "${@:3}"; do
  [ "$name" = "${FAKE_MISSING:-}" ] && ! grep -q 'apt-get install' "$CALLS" && continue
  echo "$name installed ${FAKE_PACKAGE_VERSION:-1.0}"
done
"""
APT_GET = """#!/bin/bash
printf '%s\\n' "apt-get $*" >>"$CALLS"
exit ${FAKE_APT_STATUS:-0}
"""
ID = "#!/bin/bash\necho ${FAKE_UID:-1000}\n"
COMPILER = "#!/bin/bash\necho ${FAKE_COMPILER:-12}\n"


class BazelwTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.tree = os.path.join(self.folder, "tree")
        for name in ["bazelw", "third_party/debian_packages.txt", "tools/summarize_tests.py"]:
            target = os.path.join(self.tree, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(os.path.join(ROOT, name), target)
        for name, text in [
            ("bazel", BAZEL),
            ("dpkg-query", DPKG_QUERY),
            ("apt-get", APT_GET),
            ("id", ID),
            ("g++", COMPILER),
        ]:
            self.stand_in(name, text)
        self.calls_file = os.path.join(self.folder, "calls")
        open(self.calls_file, "w", encoding="utf-8").close()

    def stand_in(self, name, text):
        path = os.path.join(self.folder, "bin", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(path, 0o755)

    def run_bazelw(self, *arguments, folder=None, tree=None, **environment):
        """Runs it and returns (status, stdout, stderr, calls of the stand-ins)."""
        variables = {
            "PATH": self.folder + "/bin:/usr/bin:/bin",
            "CALLS": self.calls_file,
            "HOME": self.folder,
            **environment,
        }
        done = subprocess.run(
            [os.path.join(tree or self.tree, "bazelw"), *arguments],
            env=variables,
            text=True,
            check=False,
            cwd=folder or tree or self.tree,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        with open(self.calls_file, encoding="utf-8") as stream:
            calls = stream.read().splitlines()
        open(self.calls_file, "w", encoding="utf-8").close()
        return done.returncode, done.stdout, done.stderr, calls

    def stamp(self, **environment):
        call = self.run_bazelw("build", "//a", **environment)[3][-1]
        return call.split("--action_env=SYS_STAMP=")[1].split()[0]

    def test_help_needs_nothing(self):
        status, out, _, calls = self.run_bazelw(FAKE_MISSING="libdnnl-dev")
        self.assertEqual((status, calls), (0, []))
        self.assertIn("./bazelw test //...", out)

    def test_passes_arguments_and_status_through(self):
        status, _, err, calls = self.run_bazelw("--batch", "run", "//a:b", "--", "x y", FAKE_STATUS="7")
        self.assertEqual((status, err), (7, ""))
        self.assertRegex(calls[0], r"^bazel in .*/tree: --batch run --action_env=SYS_STAMP=\w{16} //a:b -- x y$")

    def test_commands_that_build_nothing_get_no_options(self):
        for command in ["query", "info", "shutdown", "version"]:
            self.assertEqual(self.run_bazelw(command)[3], ["bazel in %s: %s" % (self.tree, command)])

    def test_without_proc_says_what_to_do(self):
        self.stand_in("readlink", "#!/bin/bash\nexit 1\n")
        status, _, err, calls = self.run_bazelw("build", "//a")
        self.assertEqual((status, calls), (1, []))
        self.assertIn("there is no /proc here", err)
        self.assertIn("    mount -t proc proc /proc\n", err)

    def test_a_path_that_bazel_cannot_cope_with_is_refused(self):
        for name in ["mit leer", "grüße"]:
            tree = os.path.join(self.folder, name)
            shutil.copytree(self.tree, tree)
            for locale in ["C", "C.UTF-8"]:
                status, _, err, calls = self.run_bazelw("build", "//a", tree=tree, LC_ALL=locale)
                self.assertEqual((status, calls), (1, []))
                self.assertIn("\n    %s\n" % tree, err)
                self.assertIn("clone again elsewhere", err)

    def test_a_home_that_cannot_hold_the_cache_is_refused(self):
        with open(os.path.join(self.folder, "file"), "w", encoding="utf-8"):
            pass
        for home in [os.path.join(self.folder, "file"), "/proc/none", "relative", os.path.join(self.folder, "grüße")]:
            status, _, err, calls = self.run_bazelw("build", "//a", HOME=home)
            self.assertEqual((status, calls), (1, []), home)
            self.assertIn("HOME, which is '%s'" % home, err)
            self.assertIn("    HOME=/tmp/home ./bazelw build //a\n", err)
            self.assertEqual(len(self.run_bazelw("--output_user_root=/tmp/x", "build", "//a", HOME=home)[3]), 1)

    def test_a_home_that_does_not_exist_is_made(self):
        home = os.path.join(self.folder, "not yet")
        self.assertEqual(self.run_bazelw("build", "//a", HOME=home)[0], 0)
        self.assertTrue(os.path.isdir(home))

    def test_without_home_takes_the_users(self):
        self.stand_in("bazel", BAZEL.replace("$PWD", "$HOME"))
        done = self.run_bazelw("--output_user_root=/tmp/x", "build", "//a", HOME="")
        self.assertIn("bazel in %s: " % pwd.getpwuid(os.getuid()).pw_dir, done[3][0])

    def test_a_locale_that_is_not_there_is_left_at_the_door(self):
        self.stand_in("bazel", BAZEL.replace("$PWD", "${LC_ALL:-}"))
        status, _, err, calls = self.run_bazelw("build", "//a", LC_ALL="xx_YY.UTF-8")
        self.assertEqual(status, 0)
        self.assertIn("bazel in C: ", calls[0])
        self.assertLessEqual(len(err.splitlines()), 1, err)  # that of the shell which runs it
        self.assertIn("bazel in C.UTF-8: ", self.run_bazelw("build", "//a", LC_ALL="C.UTF-8")[3][0])

    def test_runs_where_it_is_called_within_the_tree_and_at_its_root_from_outside(self):
        inner = os.path.join(self.tree, "tools")
        self.assertIn("bazel in %s: " % inner, self.run_bazelw("build", ":a", folder=inner)[3][0])
        self.assertIn("bazel in %s: " % self.tree, self.run_bazelw("build", "//a", folder="/")[3][0])

    def test_without_root_prints_the_exact_command_and_stops(self):
        status, _, err, calls = self.run_bazelw("test", "//...", FAKE_MISSING="libdnnl-dev")
        self.assertEqual((status, calls), (1, []))
        self.assertIn("sudo apt-get update && sudo apt-get install --yes --no-install-recommends libdnnl-dev\n", err)

    def test_as_root_installs_what_is_missing_and_goes_on(self):
        status, _, err, calls = self.run_bazelw("build", "//a", FAKE_MISSING="libdnnl-dev", FAKE_UID="0")
        self.assertEqual(status, 0)
        self.assertIn("bazelw: installing 1 missing packages: libdnnl-dev", err)
        self.assertEqual(calls[0], "apt-get update")
        self.assertEqual(
            calls[1], "apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=600 libdnnl-dev"
        )
        self.assertIn(": build ", calls[2])

    def test_an_optional_package_is_installed_where_the_system_has_it(self):
        missing = {"FAKE_MISSING": "clang-format-14", "FAKE_UID": "0"}
        self.stand_in("apt-cache", "#!/bin/bash\nexit 100\n")
        self.assertEqual(len(self.run_bazelw("build", "//a", **missing)[3]), 1)
        self.stand_in("apt-cache", "#!/bin/bash\nexit 0\n")
        self.assertIn(" clang-format-14", self.run_bazelw("build", "//a", **missing)[3][1])

    def test_a_failed_installation_stops(self):
        status, _, err, calls = self.run_bazelw(
            "build", "//a", FAKE_MISSING="libdnnl-dev", FAKE_UID="0", FAKE_APT_STATUS="100"
        )
        self.assertEqual((status, calls), (1, ["apt-get update"]))
        self.assertIn("the installation failed", err)

    def test_any_bazel_on_the_path_will_do(self):
        self.assertIn(": build ", self.run_bazelw("build", "//a", FAKE_MISSING="bazel-bootstrap")[3][0])

    def test_packages_can_be_left_alone(self):
        calls = self.run_bazelw("build", "//a", FAKE_MISSING="fmt", LOCKSTEP_SKIP_PACKAGES="1")[3]
        self.assertEqual(len(calls), 1)

    def test_the_stamp_follows_the_packages(self):
        self.assertEqual(self.stamp(), self.stamp())
        self.assertNotEqual(self.stamp(), self.stamp(FAKE_PACKAGE_VERSION="1.1"))
        self.assertEqual(  # the packages of a first run are stamped as those of the second
            self.stamp(), self.stamp(FAKE_MISSING="libdnnl-dev", FAKE_UID="0")
        )

    def test_newer_bazels_get_the_flag_to_read_workspace(self):
        for version, options in [
            ("4.2.3", ""),
            ("5.4.1", ""),
            ("6.5.0", "--noenable_bzlmod "),
            ("7.4.1", "--noenable_bzlmod "),
            ("8.0.1", "--noenable_bzlmod --enable_workspace "),
        ]:
            call = self.run_bazelw("build", "//a", FAKE_VERSION=version)[3][0]
            self.assertIn(": build %s--action_env" % options, call)
        status, _, err, calls = self.run_bazelw("build", "//a", FAKE_VERSION="9.0.0")
        self.assertEqual((status, calls), (1, []))
        self.assertIn("no longer reads WORKSPACE", err)

    def test_bazelisk_takes_a_version_that_reads_workspace(self):
        bazelisk = {"FAKE_VERSION": "9.0.0", "FAKE_BAZELISK": "1"}
        status, _, _, calls = self.run_bazelw("build", "//a", **bazelisk)
        self.assertEqual((status, len(calls)), (0, 1))
        calls = self.run_bazelw("build", "//a", **bazelisk, USE_BAZEL_VERSION="6.5.0")[3]
        self.assertIn(": build --noenable_bzlmod --action_env", calls[0])

    def test_only_compilers_that_were_tried_turn_warnings_into_errors(self):
        for version, allowed in [("12", False), ("13", True), ("14.2.0", False), ("15", True)]:
            call = self.run_bazelw("build", "//a", FAKE_COMPILER=version)[3][0]
            self.assertEqual("--config=warnings_allowed" in call, allowed, version)

    def test_ci_gets_its_configuration(self):
        self.assertIn(" --config=ci //a", self.run_bazelw("build", "//a", CI="true")[3][0])

    def test_a_test_run_closes_with_the_count(self):
        events = os.path.join(self.folder, "events.json")
        with open(events, "w", encoding="utf-8") as stream:
            stream.write(
                '{"id": {"targetConfigured": {"label": "//a:x_test"}}, "configured": {"targetKind": "cc_test rule"}}\n'
            )
        status, out, _, calls = self.run_bazelw("test", "//a:all", FAKE_EVENTS=events, FAKE_STATUS="1")
        self.assertEqual((status, out), (1, "FAILED  //a:x_test (did not build)\n0 passed, 1 failed\n"))
        self.assertRegex(calls[0], r": test --action_env=\S+ --build_event_json_file=\S+ //a:all$")
        self.assertFalse(os.path.exists(calls[0].split("json_file=")[1].split()[0]))

    def test_a_counted_failure_fails_although_bazel_passed(self):
        events = os.path.join(self.folder, "events.json")
        with open(events, "w", encoding="utf-8") as stream:
            stream.write(
                '{"id": {"targetConfigured": {"label": "//a:x_test"}}, "configured": {"targetKind": "cc_test rule"}}\n'
            )
        self.assertEqual(self.run_bazelw("test", "//a:all", FAKE_EVENTS=events)[0], 1)

    def test_bazel_failing_at_its_start_is_a_failure_with_its_status(self):
        status, out, _, _ = self.run_bazelw("test", "//...", FAKE_STATUS="36")
        self.assertEqual(status, 36)
        self.assertEqual(out.splitlines()[-1], "0 passed, 1 failed")

    def test_keeps_a_requested_events_file(self):
        events = os.path.join(self.folder, "mine.json")
        calls = self.run_bazelw("test", "--build_event_json_file=" + events, "//...")[3]
        self.assertEqual(calls[0].count("--build_event_json_file="), 1)


BAZELW = """#!/bin/bash
echo "$CI $*" >>"$CALLS"
case $1 in
  test) printf '%b' "$FAKE_TESTS"; exit ${FAKE_TEST_STATUS:-0} ;;
  run) [ "$2" != //benchmarks:gate ] || exit ${FAKE_GATE_STATUS:-0} ;;&
  run)
    mkdir -p "$PWD/results"
    for made in result:${FAKE_RESULT:-results/r.json} report:results/r.html; do
      echo '{}' >"${made#*:}"
      [ "${made%%:*}" = "${FAKE_SILENT:-}" ] || printf '%-8s%s\\n' "${made%%:*}" "$PWD/${made#*:}"
    done
    exit ${FAKE_RUN_STATUS:-0} ;;
esac
"""


class CiRunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = os.path.join(folder.name, "tree")
        self.calls_file = os.path.join(folder.name, "calls")
        os.makedirs(os.path.join(self.tree, ".ci"))
        os.makedirs(os.path.join(self.tree, "docs/ci"))
        for name in [".ci/run", ".gitignore", "docs/ci/gate.sh"]:
            shutil.copy(os.path.join(ROOT, name), os.path.join(self.tree, name))
        with open(os.path.join(self.tree, "bazelw"), "w", encoding="utf-8") as stream:
            stream.write(BAZELW)
        os.chmod(os.path.join(self.tree, "bazelw"), 0o755)
        for command in [["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "x"]]:
            self.git(*command)

    def git(self, *command):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *command], cwd=self.tree, check=True
        )

    def give_head_a_parent(self):
        self.git("commit", "--quiet", "--allow-empty", "-m", "y")

    def run_ci(self, tests, **environment):
        """(exit status, last line) of .ci/run when the tests print `tests`."""
        variables = {"PATH": "/usr/bin:/bin", "CALLS": self.calls_file, "FAKE_TESTS": tests, **environment}
        done = subprocess.run(
            ["bash", os.path.join(self.tree, ".ci/run")],
            env=variables,
            cwd="/",
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        self.said = done.stdout
        return done.returncode, done.stdout.splitlines()[-1]

    def test_runs_the_two_commands_of_the_readme_in_its_order(self):
        self.assertEqual(self.run_ci("1200 passed, 0 failed\n"), (0, "1204 passed, 0 failed"))
        with open(self.calls_file, encoding="utf-8") as stream:
            calls = stream.read().splitlines()
        self.assertTrue(calls[0].startswith("true run //benchmarks:scaling -- "), calls[0])
        for output in ["--json", "--report"]:  # have a default
            self.assertNotIn(output, calls[0])
        self.assertEqual(calls[1:], ["true test //...", "true run //conformance:ask -- --list", "true shutdown"])

    def test_the_gate_is_informational_unless_enforced(self):
        self.give_head_a_parent()
        for environment, counted in [
            ({"FAKE_GATE_STATUS": "1"}, (0, "13 passed, 0 failed")),
            ({"FAKE_GATE_STATUS": "1", "LOCKSTEP_GATE": "enforce"}, (1, "13 passed, 1 failed")),
            ({"FAKE_GATE_STATUS": "2", "LOCKSTEP_GATE": "enforce"}, (1, "13 passed, 1 failed")),
            ({"FAKE_GATE_STATUS": "3", "LOCKSTEP_GATE": "enforce"}, (0, "14 passed, 0 failed")),
            ({"LOCKSTEP_GATE": "enforce"}, (0, "14 passed, 0 failed")),
        ]:
            self.assertEqual(self.run_ci("9 passed, 0 failed\n", **environment), counted, environment)
            if "FAKE_GATE_STATUS" in environment:
                self.assertIn(f"the gate ended with exit status {environment['FAKE_GATE_STATUS']} ", self.said)
        with open(self.calls_file, encoding="utf-8") as stream:
            self.assertRegex(stream.read(), r"true run //benchmarks:gate -- --baseline=HEAD\^ --budget=60s ")

    def test_a_first_commit_has_nothing_to_be_gated_against(self):
        self.run_ci("9 passed, 0 failed\n", LOCKSTEP_GATE="enforce")
        self.assertIn("no gate: HEAD has no parent", self.said)

    def test_a_failed_test_fails(self):
        self.assertEqual(
            self.run_ci("FAILED  //a\n9 passed, 1 failed\n", FAKE_TEST_STATUS="3"), (1, "13 passed, 1 failed")
        )

    def test_a_run_without_a_count_fails(self):
        self.assertEqual(self.run_ci("no space left\n", FAKE_TEST_STATUS="1"), (1, "4 passed, 1 failed"))

    def test_a_failed_status_fails_whatever_was_counted(self):
        self.assertEqual(self.run_ci("9 passed, 0 failed\n", FAKE_TEST_STATUS="1")[0], 1)

    def test_a_failed_training_fails(self):
        self.assertEqual(self.run_ci("9 passed, 0 failed\n", FAKE_RUN_STATUS="1"), (1, "12 passed, 1 failed"))

    def test_a_training_that_names_no_report_fails(self):
        self.assertEqual(self.run_ci("9 passed, 0 failed\n", FAKE_SILENT="report"), (1, "12 passed, 1 failed"))

    def test_a_file_left_in_the_tree_fails(self):
        self.assertEqual(self.run_ci("9 passed, 0 failed\n", FAKE_RESULT="r.json"), (1, "12 passed, 1 failed"))
        self.assertIn("?? r.json", self.said)


if __name__ == "__main__":
    xml_unittest.main()
