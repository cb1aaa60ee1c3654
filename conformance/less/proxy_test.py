"""What stands between the runner and a testee."""

import json
import unittest

from conformance.less import proxy, vocabulary
from conformance.less.removal import Removal
from tools import xml_unittest

REMOVAL = Removal.parse("value.fail", vocabulary.read_steps("."))
FAIL = {"step": "value.fail"}
ONE = {"observe": "one", "step": "value.show", "of": 1}
SENSELESS = {"seq": 1, "error": {"class": "Internal", "message": "nothing is called 'x'", "at_step": "testee"}}


class ProxyTest(unittest.TestCase):
    def setUp(self):
        self.programs, self.logged = [], []

    def proxy(self, *replies):
        left = list(replies)

        def ask(line):
            self.programs.append(json.loads(line).get("program"))
            return left.pop(0)

        return proxy.Proxy(REMOVAL, ask, self.logged.append)

    def put(self, program, *replies):
        line = json.dumps({"cmd": "run", "seq": 1, "program": program}) + "\n"
        return self.proxy(*replies).answer(line)

    def test_the_testee_gets_what_is_left(self):
        self.assertEqual(self.put([FAIL, ONE], '{"seq": 1, "observations": {"one": 1}}\n')[:10], '{"seq": 1,')
        self.assertEqual((self.programs, self.logged), ([[ONE]], [proxy.CARRIED_OUT]))

    def test_what_stays_as_it_is_is_not_logged(self):
        self.assertEqual(self.put([ONE], "the reply\n"), "the reply\n")
        self.assertEqual((self.programs, self.logged), ([[ONE]], []))

    def test_other_commands_pass(self):
        self.assertEqual(self.proxy("{}\n").answer('{"cmd": "start", "version": 1}\n'), "{}\n")

    def test_a_program_that_makes_no_sense_is_put_as_it_was(self):
        lacking = {"seq": 1, "unsupported": {"step": "value.show", "reason": "not with these"}}
        for senseless in (SENSELESS, lacking):
            self.setUp()
            self.assertEqual(self.put([FAIL, ONE], json.dumps(senseless), "whole\n"), "whole\n")
            self.assertEqual((self.programs, self.logged), ([[ONE], [FAIL, ONE]], [proxy.SENSELESS]))

    def test_the_end_of_the_testee_is_passed_on(self):
        self.assertEqual(self.put([FAIL], ""), "")


if __name__ == "__main__":
    xml_unittest.main()
