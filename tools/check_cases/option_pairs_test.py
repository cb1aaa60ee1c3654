"""The generated cases of option pairs."""

import itertools
import os

from tools import source_tree, xml_unittest
from tools.check_cases import option_pairs


class Choices(source_tree.PlantedTree):
    def test_every_allowed_pair_has_a_case(self):
        together = set()
        for options in option_pairs.choices():
            together.update(itertools.combinations(options, 2))
        self.assertEqual(sorted(together), sorted(option_pairs.all_pairs()))

    def test_exclusive_options_are_never_together(self):
        for pair in (("momentum", "adamw"), ("pad", "keep"), ("drop", "keep"), option_pairs.CONVENTION):
            self.assertFalse(option_pairs.may_stand_together(*pair))
            self.assertNotIn(pair, option_pairs.all_pairs())

    def test_no_case_has_more_options_than_it_may(self):
        for options in option_pairs.choices():
            self.assertLessEqual(len(options), option_pairs.MOST)

    def test_the_pair_that_ends_training_is_alone(self):
        both = [options for options in option_pairs.choices() if set(option_pairs.ALONE) <= set(options)]
        self.assertEqual(both, [list(option_pairs.ALONE)])

    def test_unsupported_options_hide_no_other_pair(self):
        apart = set(option_pairs.APART)
        usual = [options for options in option_pairs.choices() if apart.isdisjoint(options)]
        together = {pair for options in usual for pair in itertools.combinations(options, 2)}
        self.assertEqual(together, {pair for pair in option_pairs.all_pairs() if apart.isdisjoint(pair)})


class Files(source_tree.PlantedTree):
    def test_the_file_of_the_tree_is_what_is_generated(self):
        self.assertEqual(option_pairs.check(source_tree.find_root()), [])

    def test_a_file_that_was_changed_by_hand_is_a_problem(self):
        self.plant(option_pairs.PATH, "{}")
        self.assertEqual(len(option_pairs.check(self.root)), 1)
        self.assertEqual(option_pairs.check(self.root, fix=True), [])

    def test_a_file_that_is_missing_is_a_problem(self):
        os.makedirs(os.path.dirname(os.path.join(self.root, option_pairs.PATH)))
        self.assertEqual(len(option_pairs.check(self.root)), 1)


if __name__ == "__main__":
    xml_unittest.main()
