"""A reply that its schema allows has to answer what was asked, too."""
import unittest

from conformance.probe import reply_check
from tools import xml_unittest

PROGRAM = [{"step": "a.a", "observe": "x", "program": [{"step": "a.b", "observe": "y"}]}]


class ReplyCheckTest(unittest.TestCase):

    def problems(self, **reply):
        found = reply_check.problems({"seq": 3, **reply}, 3, PROGRAM)
        return [problem.what for problem in found]

    def test_right_replies_pass(self):
        for reply in [{"observations": {"x": 1, "y": []}},
                      {"error": {"class": "Internal", "message": "", "at_step": "a.b"}},
                      {"unsupported": {"step": "a.b", "reason": "no b"}}]:
            self.assertEqual(self.problems(**reply), [])

    def test_seq_is_that_of_the_program(self):
        found = reply_check.problems(
            {"seq": 2, "observations": {"x": 1, "y": 2}}, 3, PROGRAM)
        self.assertEqual([p.what for p in found], ["at $.seq: 2, but the program came with 3"])

    def test_all_is_observed_and_no_more(self):
        self.assertEqual(self.problems(observations={"x": 1, "z": 2}), [
            "at $.observations: 'y' is missing, though the program ran to its end",
            "at $.observations: no step of the program observes 'z'"])

    def test_steps_are_those_of_the_program(self):
        error = {"class": "Internal", "message": "", "at_step": "a.c"}
        self.assertEqual(self.problems(error=error),
                         ["at $.error.at_step: the program has no step 'a.c'"])
        self.assertEqual(self.problems(unsupported={"step": "b", "reason": "no b"}),
                         ["at $.unsupported.step: the program has no step 'b'"])

    def test_a_mistake_of_the_testee_is_one(self):
        error = {"class": "Internal", "message": "no key 'x'", "at_step": "testee"}
        self.assertEqual(self.problems(error=error),
                         ["the testee itself failed: Internal: no key 'x'"])


if __name__ == "__main__":
    xml_unittest.main()
