"""Runs the programs of an unpacked package one after another, each in its time."""

import importlib.util
import os
import sys
import tempfile
import time
import xml.etree.ElementTree

from tools.gpu_check import child, machine, places
from tools.gpu_check.outcome import FAILED, LEFT_OUT, NOT_APPLICABLE, NOT_RUN, PASSED, SKIPPED

NAMED = 3  # of the cases that failed


def read_cases(path):
    """(number of cases, names of those that failed, number of those skipped) of a GoogleTest report, or None."""
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except (OSError, xml.etree.ElementTree.ParseError):
        return None
    cases = list(root.iter("testcase"))
    failed = ["%s.%s" % (case.get("classname"), case.get("name")) for case in cases if case.find("failure") is not None]
    skipped = sum(case.find("skipped") is not None or case.get("result") == "skipped" for case in cases)
    return len(cases), failed, skipped


def remove(path):
    """Of a file that may be there from an earlier run."""
    if os.path.exists(path):
        os.remove(path)


def last_line(lines):
    """The last one that is not empty, or ''."""
    said = [line.strip() for line in lines if line.strip()]
    return said[-1][:200] if said else ""


class ProgramRunner:
    """`results` has a dictionary of each program so far, also of those that did not run."""

    def __init__(self, root, output, machine_found, plan):
        """`machine_found` is a FoundMachine of check.py, `plan` a TimePlan."""
        self._root = root
        self._output = output
        self._found = machine_found
        folder = machine_found.driver.folder
        self._environment = places.of_programs(root, output, machine_found.libraries, machine_found.data, folder)
        self._of_scripts = places.of_scripts(self._environment, folder)
        self._plan = plan
        self._log = open(  # noqa: SIM115  (close() closes it)
            os.path.join(output, "log.txt"), "w+", encoding="utf-8", errors="replace"
        )
        self.results = []

    def run(self, program):
        """Runs an entry of the manifest, or reports why not."""
        result = self.skip(program, "")
        try:
            self._fill(program, result)
        except Exception as error:
            result["why"] = str(error)
            raise
        finally:
            self._tell(result)

    def skip(self, program, why):
        """The entry of one that does not run, or not yet."""
        result = {"name": program["name"], "result": NOT_RUN, "seconds": 0.0, "why": why}
        self.results.append(result)
        return result

    def write(self, text):
        """Into log.txt."""
        self._log.write(text)
        self._log.flush()

    def close(self):
        self._log.close()

    def _why_left_out(self, program):
        """(result, why) of a program that this machine cannot run; None for others."""
        gpus = self._found.driver.gpus
        if gpus < program.get("gpus", 1):
            return NOT_APPLICABLE, "it needs %d GPUs, there %s %d" % (
                program["gpus"],
                "is" if gpus == 1 else "are",
                gpus,
            )
        if program.get("data") == "full" and self._found.data is None:
            return LEFT_OUT, "the full data is not here: --data=FOLDER says where it is"
        if program.get("tool") and machine.find_tool(program["tool"][0]) is None:
            return LEFT_OUT, "%s is not on this machine" % program["tool"][0]
        module = program.get("module")
        if module and importlib.util.find_spec(module) is None:
            return LEFT_OUT, "Python package %s is not on this machine" % module
        return None

    def _fill(self, program, result):
        left_out = self._why_left_out(program)
        if left_out:
            result["result"], result["why"] = left_out
        elif program.get("test"):
            self._run_test(program, result)
        else:
            self._remove_old(program)
            self._run(program, result)

    def _run_test(self, program, result):
        report = os.path.join(self._output, "report.xml")
        remove(report)
        self._run(dict(program, arguments=[*program["arguments"], "--gtest_output=xml:" + report]), result)
        cases = read_cases(report)
        if cases is not None:
            failed = cases[1]
            result["cases"], result["failed_cases"], result["skipped_cases"] = cases[0], len(failed), cases[2]
            remove(report)
            if failed:
                self._name_failed(failed, result)
        elif result["result"] == PASSED:
            result.update(result=FAILED, why="it ended before its report")
        if result["result"] == PASSED and cases[2]:
            result.update(result=SKIPPED, why="%d cases were skipped" % cases[2])

    @staticmethod
    def _name_failed(failed, result):
        """Of cases; that the program then ended with status 1 says no more."""
        how = result.get("why", "exit 1").partition(":")[0]
        more = ["%d more" % (len(failed) - NAMED)] if len(failed) > NAMED else []
        names = ", ".join([*failed[:NAMED], *more])
        result["why"] = names if how == "exit 1" else "%s: %s" % (how, names)
        if result["result"] == PASSED:
            result["result"] = FAILED

    def _remove_old(self, program):
        """Deletes an earlier run's results, which must not be read as this one's."""
        for word in program["arguments"]:
            _, written, name = word.rpartition("={output}/")
            if written:
                remove(os.path.join(self._output, name))

    def _command(self, program):
        where = {
            "{output}": self._output,
            "{bin}": os.path.join(self._root, "bin"),
            "{data}": places.data_folder(self._root),
            "{python}": sys.executable,
            "{libraries}": self._environment["LD_LIBRARY_PATH"],
        }
        arguments = []
        for word in program["arguments"]:
            meant = word
            for place, path in where.items():
                meant = meant.replace(place, path)
            arguments.append(meant)
        if "script" in program:
            return [sys.executable, "-m", program["script"], *arguments]
        tool = program.get("tool", [])
        prefix = [machine.find_tool(tool[0]), *tool[1:]] if tool else []
        return [*prefix, os.path.join(where["{bin}"], program["binary"]), *arguments]

    def _run(self, program, result):
        seconds = self._plan.limit(program["seconds"])
        if seconds <= 0:
            result["why"] = "there was no time left"
            return
        command = self._command(program)
        self.write("\n$ %s\n" % " ".join(command))
        before = self._log.seek(0, os.SEEK_END)
        start = time.monotonic()
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
            try:
                ended = child.run(
                    command,
                    seconds,
                    cwd=places.data_folder(self._root),
                    stdout=self._log,
                    env=self._of_scripts if "script" in program else self._environment,
                    stderr=errors,
                )
            finally:
                result["seconds"] = round(time.monotonic() - start, 2)
                outputs = [self._read_log(before), self._append_to_log(errors)]
        result["result"] = ended.result
        if ended.result == PASSED:
            del result["why"]
            return
        # GoogleTest and compute-sanitizer report failures on stdout; the program logs on stderr.
        on_stdout_first = program.get("test") or program.get("tool")
        first, second = map(last_line, outputs if on_stdout_first else reversed(outputs))
        result["why"] = "%s: %s" % (ended.how, first or second or "it said nothing")
        self.write("\n(%s)\n" % ended.how)

    def _read_log(self, start):
        self._log.seek(start)
        return self._log.readlines()

    def _append_to_log(self, errors):
        """A program's stderr, after its stdout."""
        errors.seek(0)
        lines = errors.readlines()
        self._log.seek(0, os.SEEK_END)
        self._log.writelines(lines)
        self._log.flush()
        return lines

    @staticmethod
    def _tell(result):
        print(
            "%-14s %6.1f s  %s%s"
            % (
                result["result"],
                result["seconds"],
                result["name"],
                "" if result["result"] == PASSED else " (%s)" % result["why"],
            ),
            flush=True,
        )
