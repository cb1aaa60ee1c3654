"""The tree keeps its layers and names; planted violations are seen."""
from tools import check_layers
from tools import source_tree
from tools import xml_unittest


class CheckLayersTest(source_tree.PlantedTree):

    def problems(self, path, text=''):
        self.plant(path, text)
        return check_layers.check(self.root)

    def assert_allowed(self, path, text):
        self.assertEqual(self.problems(path, text), [])

    def assert_refused(self, path, text, word):
        problems = self.problems(path, text)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(word, problems[0])

    def test_the_tree_is_clean(self):
        self.assertEqual(check_layers.check(source_tree.find_root()), [])

    def test_an_arrow_down_is_fine_over_several_layers_and_to_subfolders(self):
        self.assert_allowed(
            'reference/layers/core_layers.cc',
            '#include "reference/layers/core_layers.h"\n#include "reference/base/error.h"\n'
            '#include "reference/device/cuda/cuda_devices.h"\n#include <vector>\n#include "tools/cpp/runfiles/runfiles.h"\n')

    def test_an_arrow_up_is_refused(self):
        self.assert_refused('reference/tensor/tensor.h', '#include "reference/distribute/strategy.h"\n',
                            'reference/tensor/tensor.h:1: must not include')

    def test_an_arrow_sideways_is_refused(self):
        self.assert_refused('reference/metrics/mean.cc', '#include "reference/optimizers/update_rules.h"\n', 'must not')

    def test_layers_never_include_distribute(self):
        self.assert_refused('reference/optimizers/update_rules.cc', '#include "reference/distribute/strategy.h"\n',
                            'must not')

    def test_autodiff_may_name_a_reduction_but_not_do_it(self):
        self.assert_allowed('reference/autodiff/a.h', '#include "reference/collectives/reduce_op.h"\n')
        self.assert_refused('reference/autodiff/b.h', '#include "reference/collectives/all_reduce.h"\n',
                            'must not')

    def test_the_judge_does_not_see_the_judged(self):
        self.assert_allowed('conformance/runner/verdicts/verdict.cc', '#include "reference/base/error.h"\n')
        self.assert_refused('conformance/runner/verdicts/compare.cc', '#include "reference/tensor/tensor.h"\n',
                            'must not')

    def test_only_testees_and_programs_see_both(self):
        self.assert_allowed('conformance/testees/reference/value.cc', '#include "reference/lockstep.h"\n')
        include = '#include "conformance/testees/reference/reference_testee.h"\n'
        self.assert_allowed('conformance/main.cc', include)
        self.assert_refused('conformance/runner/cases/case_loader.cc', include, 'must not')

    def test_the_reference_does_not_use_datasets(self):
        self.assert_refused('reference/data/a.cc', '#include "datasets/idx.h"\n', 'must not')

    def test_reports_import_no_code(self):
        self.assert_allowed('reports/performance.py', 'import json\nfrom reports import chart\n')
        self.assert_refused('reports/coverage.py', 'from conformance.runner import x\n', 'must not')

    def test_an_include_that_is_no_path_from_the_root_is_refused(self):
        self.assert_refused('reference/base/error.cc', '#include "error.h"\n', 'by its path from the root')

    def test_a_new_folder_needs_a_layer(self):
        self.assert_refused('surprise/a.cc', '', 'lies in no layer')

    def test_vague_names_are_refused(self):
        for path in ['reference/base/utils.h', 'reference/misc/a.txt', 'reports/string_util.py',
                     'reference/tensor/common.h']:
            with self.subTest(path):
                self.assertEqual(len(check_layers.check_name(path)), 1)
        self.assertEqual(check_layers.check_name('reference/base/commonality.h'), [])

    def test_every_layer_of_the_table_exists_in_it(self):
        for layer, used in check_layers.LAYERS.items():
            for name in used:
                self.assertIn(name, check_layers.LAYERS, layer)

    def test_the_reference_has_no_circle(self):
        for layer, used in check_layers.LAYERS.items():
            for name in used if layer.startswith('reference') else []:
                self.assertNotIn(layer, check_layers.allowed_layers(name))


if __name__ == '__main__':
    xml_unittest.main()
