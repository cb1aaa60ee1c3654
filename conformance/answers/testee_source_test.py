"""What changes a testee's hashes, and what does not."""

import json
import unittest

from conformance.answers import provenance_command
from conformance.answers.testee_source import TesteeSource
from tools import source_tree, xml_unittest

STEPS = ["data.x", "data.y", "value.z"]
FOLDER = "conformance/testees/mini/"
MAIN = FOLDER + "testee.py"
FILES = {
    "testee": '"""A testee."""\n'
    "import os\n"
    "from conformance.testees.mini import kit, unsupported_steps, x_steps\n"
    'os.environ["A"] = "1"\n'
    "class Mini(kit.Testee):\n"
    "    steps = kit.Table(x_steps.steps, unsupported_steps.steps)\n"
    'if __name__ == "__main__":\n'
    "    kit.serve(Mini())\n",
    "kit": "class Testee:\n    pass\n\ndef serve(testee):\n    return answer(testee)\n\n"
    "def answer(testee):\n    return 1\n\ndef unused():\n    return 2\n\ndef Table(*tables):\n    return tables\n",
    "x_steps": "from conformance.testees.mini.helper import Helper\n"
    "from conformance.testees.mini import tables\n"
    "steps = tables.StepTable()\n"
    '@steps.step("data.x")\ndef x(call):\n    return _of(call)\n\n'
    "def _of(call):\n    return Helper(call)\n\n"
    '@steps.step("data.y")\ndef y(call):\n    return call\n',
    "helper": "class Helper:\n    def __init__(self, call):\n        self.call = call\n",
    "tables": "class StepTable:\n    pass\n",
    "unsupported_steps": "from conformance.testees.mini import tables\nsteps = tables.StepTable()\n"
    '_REASONS = {"value": "it has none"}\n'
    "for _group, _reason in _REASONS.items():\n    steps.unsupported_group(_group, _reason)\n",
}

RENAMED_TABLE = "def Table(*all_tables):\n    return all_tables"


class TesteeSourceTest(source_tree.PlantedTree):
    def setUp(self):
        super().setUp()
        for module, text in FILES.items():
            self.plant(FOLDER + module + ".py", text)
        self.before = TesteeSource(self.root, MAIN, STEPS)

    def changed(self, module, old, new):
        """What has another hash once that is edited: steps, and "program"."""
        self.assertIn(old, FILES[module])
        self.plant(FOLDER + module + ".py", FILES[module].replace(old, new))
        after = TesteeSource(self.root, MAIN, STEPS)
        self.plant(FOLDER + module + ".py", FILES[module])
        return [step for step in STEPS if after.steps[step] != self.before.steps[step]] + ["program"] * (
            after.program != self.before.program
        )

    def test_a_step_s_function_is_of_that_step(self):
        self.assertEqual(self.changed("x_steps", "return call\n", "return [call]\n"), ["data.y"])

    def test_what_a_step_uses_is_of_it(self):
        self.assertEqual(self.changed("x_steps", "return Helper(call)", "return Helper([call])"), ["data.x"])
        self.assertEqual(self.changed("helper", "self.call = call", "self.call = [call]"), ["data.x"])

    def test_what_says_why_there_is_no_step_is_of_it(self):
        self.assertEqual(self.changed("unsupported_steps", "it has none", "it wants none"), ["value.z"])

    def test_what_the_program_uses_is_behind_all(self):
        self.assertEqual(self.changed("kit", "return 1", "return 3"), ["program"])
        self.assertEqual(self.changed("testee", '"1"', '"2"'), ["program"])

    def test_what_nothing_uses_changes_nothing(self):
        self.assertEqual(self.changed("kit", "return 2", "return 3"), [])
        self.assertEqual(self.changed("testee", "import os\n", "import os\nimport sys\n"), [])

    def test_comments_and_form_change_nothing(self):
        self.assertEqual(self.changed("kit", "    return 1", "    # One.\n    return (\n        1\n    )"), [])
        self.assertEqual(self.changed("testee", '"""A testee."""', '"""Another text."""'), [])
        self.assertEqual(self.changed("helper", "class Helper:\n", "class Helper:\n    'Helps.'\n\n"), [])
        self.assertEqual(self.changed("unsupported_steps", '"it has none"', "'it has '\n    'none'"), [])

    def test_names_of_our_own_change_nothing(self):
        """Of a parameter, a variable, a function, a class, a constant, and of methods' variables."""
        for module, changes in {
            "x_steps": [
                ("def x(call):\n    return _of(call)", "def x(step):\n    return _of(step)"),
                ("def x(", "def xx("),
            ],
            "kit": [
                ("def answer(testee)", "def answer(who)"),
                ("def Table(*tables):\n    return tables", RENAMED_TABLE),
            ],
            "helper": [("(self, call):\n        self.call = call", "(self, c):\n        self.call = c")],
            "unsupported_steps": [("_group, _reason in", "_one, _why in")],
        }.items():
            for old, new in changes:
                text = FILES[module].replace(old, new)
                text = (
                    text.replace("unsupported_group(_group, _reason)", "unsupported_group(_one, _why)")
                    if "_one" in new
                    else text
                )
                self.assertEqual(self.changed(module, FILES[module], text), [], new)
        self.assertEqual(self.changed("x_steps", FILES["x_steps"], FILES["x_steps"].replace("_of", "_made_of")), [])
        self.assertEqual(
            self.changed(
                "unsupported_steps", FILES["unsupported_steps"], FILES["unsupported_steps"].replace("_REASONS", "_WHY")
            ),
            [],
        )

    def test_a_renamed_module_and_class_change_nothing(self):
        self.plant(FOLDER + "made.py", FILES["helper"].replace("Helper", "Made"))
        text = FILES["x_steps"].replace("mini.helper import Helper", "mini.made import Made")
        self.assertEqual(self.changed("x_steps", FILES["x_steps"], text.replace("Helper(call)", "Made(call)")), [])

    def test_names_of_methods_and_attributes_count(self):
        self.assertEqual(self.changed("helper", "self.call", "self.step"), ["data.x"])

    def test_what_is_called_counts(self):
        """Two functions that a step calls, the other way round."""
        two = "\n\ndef one(v):\n    return v + 1\n\ndef two(v):\n    return v * 2\n"
        first, second = ("return [one(call), two(call)]", "return [two(call), one(call)]")
        self.plant(FOLDER + "x_steps.py", FILES["x_steps"].replace("return call\n", first + two))
        one = TesteeSource(self.root, MAIN, STEPS)
        self.plant(FOLDER + "x_steps.py", FILES["x_steps"].replace("return call\n", second + two))
        other = TesteeSource(self.root, MAIN, STEPS)
        self.assertNotEqual(one.steps["data.y"], other.steps["data.y"])
        self.assertEqual(one.steps["data.x"], other.steps["data.x"])

    def test_which_variable_is_used_counts(self):
        self.assertEqual(
            self.changed("x_steps", "def y(call):\n    return call", "def y(call, other=None):\n    return other"),
            ["data.y"],
        )

    def test_what_a_call_cannot_see_counts(self):
        """Pairs of the body of data.y that differ in meaning, and hardly in form."""
        deep = "\ndef one(v):\n    return a(v)\n\ndef two(v):\n    return b(v)\n"
        deep += "\ndef a(v):\n    return v + 1\n\ndef b(v):\n    return v * 2\n"
        constants = "\nP = 1\nQ = 2\n\ndef f(p, v=P):\n    return v\n"
        for one, other in {
            "return one(call) - two(call)\n" + deep: "return two(call) - one(call)\n" + deep,
            "return A\n\nA, B = 1, 2\n": "return B\n\nA, B = 1, 2\n",
            "return f(a=call, b=1)\n\ndef f(a, b):\n    return a - b\n": "return f(a=call, b=1)\n\ndef f(b, a):\n"
            "    return b - a\n",
            "return C().m\n\nm = n = 1\n\nclass C:\n    m = 5\n": "return C().m\n\nm = n = 1\n\nclass C:\n    n = 5\n",
            "return f(call) + P + Q\n" + constants: "return f(call) + P + Q\n" + constants.replace("p, v=P", "p, v=Q"),
            "return use(helper, tables)\n\ndef use(p, q):\n    return p, q\n\n"
            "from conformance.testees.mini import helper\n": "return use(tables, helper)\n\ndef use(p, q):\n"
            "    return p, q\n\nfrom conformance.testees.mini import helper\n",
        }.items():
            self.plant(FOLDER + "x_steps.py", FILES["x_steps"].replace("return call\n", one))
            before = TesteeSource(self.root, MAIN, STEPS)
            self.plant(FOLDER + "x_steps.py", FILES["x_steps"].replace("return call\n", other))
            after = TesteeSource(self.root, MAIN, STEPS)
            self.assertNotEqual(before.steps["data.y"], after.steps["data.y"], one)
            self.assertEqual(before.steps["value.z"], after.steps["value.z"], one)

    def test_a_parameter_that_is_passed_by_keyword_counts(self):
        text = FILES["x_steps"].replace("return call\n", "return f(a=call)\n\ndef f(a, b=1):\n    return a, b\n")
        hashes = []
        for changed in (text, text.replace("b=1", "c=1").replace("a, b\n", "a, c\n"), text.replace("f(a, b", "f(b, a")):
            self.plant(FOLDER + "x_steps.py", changed)
            hashes.append(TesteeSource(self.root, MAIN, STEPS).steps["data.y"])
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])

    def test_a_moved_function_changes_nothing(self):
        self.plant(FOLDER + "moved.py", FILES["helper"])
        self.assertEqual(self.changed("x_steps", "mini.helper import", "mini.moved import"), [])


class ProvenanceTest(unittest.TestCase):
    """The testees as they stand."""

    def setUp(self):
        with open("conformance/testees.json", encoding="utf-8") as stream:
            self.testees = [one for one in json.load(stream)["testees"] if "family" in one]

    def test_every_framework_has_versions_and_steps(self):
        for testee in self.testees:
            found = provenance_command.provenance(testee["name"])
            self.assertEqual(sorted(found["packages"]), sorted(testee["packages"]))
            self.assertGreater(len(set(found["steps"].values())), 1, testee["name"])

    def test_steps_of_one_file_are_told_apart(self):
        steps = provenance_command.provenance("tensorflow")["steps"]
        self.assertNotEqual(steps["dataset.take"], steps["dataset.skip"])

    def test_any_other_has_a_machine_alone(self):
        self.assertEqual(list(provenance_command.provenance("")), ["machine"])
        self.assertRegex(provenance_command.machine(), r"^\d+ x \S")


if __name__ == "__main__":
    xml_unittest.main()
