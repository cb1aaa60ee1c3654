"""The checks of the whole tree, which is clean."""

import os
import shutil
import unittest
from unittest import mock

from tools import (
    check_architecture,
    check_arithmetic,
    check_comments,
    check_english,
    check_format,
    check_host_tensors,
    check_layers,
    check_lengths,
    check_words,
    source_tree,
    xml_unittest,
)


class CheckArchitectureTest(source_tree.PlantedTree):
    def problems(self, text):
        self.plant("data/batch.h", "class Batch {\n  void Next();\n};\n")
        self.plant("docs/architecture.md", text)
        self.plant("docs/algorithms.md", "")
        return check_architecture.check(self.root)

    def table_problems(self, text):
        self.plant("docs/architecture.md", "")
        self.plant("docs/algorithms.md", text)
        return check_architecture.check(self.root)

    def test_the_document_is_true(self):
        self.assertEqual(check_architecture.check(source_tree.find_root()), [])

    def test_what_is_there_may_be_named(self):
        self.assertEqual(self.problems("In `data/`: `data/batch.h`, `Batch`, `Batch::Next`, `--help`, `x + 1`."), [])

    def test_files_and_folders_have_to_be_there(self):
        self.assertEqual(
            self.problems("`data/take.h`\n`info/`"),
            ["docs/architecture.md:1: there is no data/take.h", "docs/architecture.md:2: there is no info/"],
        )

    def test_names_have_to_be_in_the_file_before_them(self):
        self.assertEqual(
            self.problems("`data/batch.h`: `Batch::Previous`, `Take`"),
            [
                "docs/architecture.md:1: data/batch.h has no Previous",
                "docs/architecture.md:1: data/batch.h has no Take",
            ],
        )
        self.assertEqual(self.problems("`Batch`"), ["docs/architecture.md:1: Batch stands before any file"])

    def test_cases_have_to_be_there(self):
        self.plant("conformance/cases/loss/average.json", '{"id": "loss/average/dtype_is_kept"}')
        self.assertEqual(self.problems("`loss/average/dtype_is_kept`"), [])
        self.assertEqual(
            self.problems("`loss/average/dtype` `loss/mean/dtype_is_kept`"),
            [
                "docs/architecture.md:1: there is no case loss/average/dtype",
                "docs/architecture.md:1: there is no case loss/mean/dtype_is_kept",
            ],
        )

    def test_the_table_of_own_kernels_names_all_vector_code(self):
        self.plant("reference/add.cc", '#define HWY_TARGET_INCLUDE "reference/add.cc"\n')
        self.plant("tools/add.cc", '#define HWY_TARGET_INCLUDE "tools/add.cc"\n')
        title = "## Kernels of our own on CPUs\n"
        lacks = "docs/algorithms.md: the table of own kernels does not list reference/add.cc"
        self.assertEqual(self.table_problems(title + "`reference/add.cc`"), [])
        self.assertEqual(self.table_problems("`reference/add.cc`\n" + title), [lacks])
        self.assertEqual(self.table_problems(title + "## Others\n`reference/add.cc`"), [lacks])

    def test_the_table_of_own_kernels_is_true_and_nothing_else_is_looked_at(self):
        self.assertEqual(
            self.table_problems("`data/take.h`\n## Kernels of our own on CPUs\n`data/skip.h`"),
            ["docs/algorithms.md:3: there is no data/skip.h"],
        )


class CheckArithmeticTest(source_tree.PlantedTree):
    def found(self, *lines):
        return check_arithmetic.uncited("\n".join(lines) + "\n")

    def test_the_tree_is_clean(self):
        self.assertEqual(check_arithmetic.check(source_tree.find_root()), [])

    def test_arithmetic_and_concatenation_are_reported(self):
        for code in (
            "a // b",
            "a @ b",
            "1 - a",
            "len(rows) / len(ranks)",
            "sum(losses)",
            "divmod(a, b)",
            "sorted(parts)",
            "torch.cat(parts)",
            "losses.mean()",
        ):
            with self.subTest(code):
                self.assertEqual(self.found(f"x = {code}"), [(1, code)])
        self.assertEqual(self.found("rows += part"), [(1, "rows += part")])

    def test_numbers_beside_and_texts_are_none(self):
        for code in (
            "n += 1",
            "x = place + 1",
            "x = '%d' % a",
            "x = 'a' + b",
            "x = [None] * n",
            "x = sort(a)",
            "a | b",
        ):
            with self.subTest(code):
                self.assertEqual(self.found(code), [])

    def test_a_citation_is_on_the_line_or_right_above(self):
        address = "# https://docs.jax.dev/en/latest/jax.html (mean)"
        for lines in (
            ("x = a / b  " + address,),
            (address, "x = a / b"),
            (address, "# and so on", "x = a / b"),
            ("x = call(", "    a / b,  " + address, ")"),
            ("# pytorch/examples:imagenet/main.py (batch_size)", "x = a / b"),
            ("# intents.md (train.create, calls)", "x = a / b"),
            (address, "if a / b:", "    pass"),
        ):
            with self.subTest(lines):
                self.assertEqual(self.found(*lines), [])

    def test_a_citation_elsewhere_is_none(self):
        address = "# https://docs.jax.dev/en/latest/jax.html (mean)"
        for lines in (
            ("# as the guide has it", "x = a / b"),
            (address, "", "x = a / b"),
            (address, "y = 0", "x = a / b"),
            ("x = a / b", address),
            (address, "if a:", "    x = a / b"),
        ):
            with self.subTest(lines):
                self.assertEqual([code for _, code in self.found(*lines)], ["a / b"])

    def test_testees_of_frameworks_are_looked_at(self):
        self.plant("conformance/testees/mine/train_steps.py", "loss = total / count\n")
        self.plant("conformance/testees/mine/train_steps_test.py", "loss = total / count\n")
        self.plant("conformance/testees/miniatures/minimal.py", "loss = total / count\n")
        self.assertEqual(
            check_arithmetic.check(self.root),
            ["conformance/testees/mine/train_steps.py:1: arithmetic without a citation: total / count"],
        )


class CheckFormatTest(source_tree.PlantedTree):
    def setUp(self):
        super().setUp()
        self.plant(".clang-format", "BasedOnStyle: Google\n")

    @unittest.skipUnless(shutil.which(check_format.PROGRAM), "this system has no " + check_format.PROGRAM)
    def test_the_tree_is_formatted(self):
        self.assertEqual(check_format.check(source_tree.find_root()), [])

    @unittest.skipUnless(shutil.which(check_format.PROGRAM), "this system has no " + check_format.PROGRAM)
    def test_unformatted_code_is_refused_and_mended(self):
        self.plant("good.h", "int f();\n")
        self.plant("reference/bad.cc", "int  f( ) ;\n")
        problems = check_format.check(self.root)
        self.assertEqual(len(problems), 1)
        self.assertIn("reference/bad.cc:1:4: error: code should be clang-formatted", problems[0])
        self.assertNotIn("good.h", problems[0])
        self.assertEqual(check_format.fix(self.root), [])
        self.assertEqual(check_format.check(self.root), [])
        self.assertEqual(source_tree.read_lines(self.root, "reference/bad.cc"), ["int f();", ""])

    def test_a_missing_program_is_a_clear_failure(self):
        self.plant("good.h", "int f();\n")
        with mock.patch.dict(os.environ, PATH="/nonexistent"):
            self.assertEqual(
                check_format.check(self.root), ["clang-format-14 is missing: apt-get install clang-format-14"]
            )


WRITES = "*y.mutable_data<float>() = 1;\n"
SEEN = "a.cc:1: Tensor::%s names no device: CurrentHost() where the host writes it (see host_tensor.h)"


class CheckHostTensorsTest(source_tree.PlantedTree):
    def problems(self, text, path="a.cc"):
        self.plant(path, text)
        return check_host_tensors.check(self.root)

    def test_the_tree_is_clean(self):
        self.assertEqual(check_host_tensors.check(source_tree.find_root()), [])

    def test_memory_that_is_not_initialised_names_its_device(self):
        self.assertEqual(self.problems("Tensor y = Tensor::Empty(Shape{2, 3}, Type(1, 2));"), [SEEN % "Empty"])
        self.assertEqual(self.problems("Tensor y = Tensor::Empty(\n    Shape{2, 3}, dtype, x.device());"), [])
        self.assertEqual(self.problems("Tensor y = EmptyOnHost(Shape{2, 3});"), [])

    def test_what_is_filled_names_its_device_where_addresses_are_written(self):
        for call, name in (("Tensor::Zeros(shape, dtype)", "Zeros"), ("Tensor::Full<float>(shape, 0)", "Full")):
            self.assertEqual(self.problems(call + ";\n"), [])
            self.assertEqual(self.problems(call + ";\n" + WRITES), [SEEN % name])
        self.assertEqual(self.problems("Tensor::Zeros(shape, dtype, device);\n" + WRITES), [])

    def test_comments_and_tests_may_leave_it_open(self):
        self.assertEqual(self.problems("// Tensor::Empty(Shape{2});\n"), [])
        self.assertEqual(self.problems("Tensor::Empty(Shape{2});\n", "a_test.cc"), [])


class CheckLayersTest(source_tree.PlantedTree):
    def problems(self, path, text=""):
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
        self.assertEqual(check_layers.check_rows(source_tree.find_root()), [])

    def test_a_row_without_a_folder_is_reported(self):
        self.plant("reference/base/error.h", "")
        rows = check_layers.check_rows(self.root)
        self.assertFalse([row for row in rows if " reference/base " in row])
        self.assertTrue([row for row in rows if " reference/data is in LAYERS" in row])

    def test_folders_beside_each_other_do_not_use_each_other(self):
        self.plant("reference/training/model/fit.h", '#include "reference/training/events/callback.h"\n')
        self.plant("reference/training/model/parts/a.h", '#include "reference/training/model/fit.h"\n')
        self.plant("reference/training/model/b.h", '#include "reference/training/model/parts/a.h"\n')
        self.assert_allowed("reference/training/events/logs_test.cc", '#include "reference/training/model/fit.h"\n')
        self.assert_refused(
            "reference/training/events/sub/lines.h",
            '#include "reference/training/model/fit.h"\n',
            "reference/training/events and reference/training/model use each other",
        )

    def test_an_arrow_down_is_fine_over_several_layers_and_to_subfolders(self):
        self.assert_allowed(
            "reference/layers/core_layers.cc",
            '#include "reference/layers/core_layers.h"\n#include "reference/base/error.h"\n'
            '#include "reference/device/cuda/cuda_devices.h"\n#include <vector>\n'
            '#include "tools/cpp/runfiles/runfiles.h"\n',
        )

    def test_an_arrow_up_is_refused(self):
        self.assert_refused(
            "reference/tensor/tensor.h",
            '#include "reference/distribute/strategy.h"\n',
            "reference/tensor/tensor.h:1: must not include",
        )

    def test_an_arrow_sideways_is_refused(self):
        self.assert_refused("reference/metrics/mean.cc", '#include "reference/optimizers/update_rules.h"\n', "must not")

    def test_layers_never_include_distribute(self):
        self.assert_refused(
            "reference/optimizers/update_rules.cc", '#include "reference/distribute/strategy.h"\n', "must not"
        )

    def test_autodiff_may_name_a_reduction_but_not_do_it(self):
        self.assert_allowed("reference/autodiff/a.h", '#include "reference/collectives/reduce_op.h"\n')
        self.assert_refused("reference/autodiff/b.h", '#include "reference/collectives/all_reduce.h"\n', "must not")

    def test_the_judge_does_not_see_the_judged(self):
        self.assert_allowed("conformance/runner/verdicts/verdict.cc", '#include "reference/base/error.h"\n')
        self.assert_refused(
            "conformance/runner/verdicts/compare.cc", '#include "reference/tensor/tensor.h"\n', "must not"
        )

    def test_only_testees_and_programs_see_both(self):
        self.assert_allowed("conformance/testees/reference/value.cc", '#include "reference/lockstep.h"\n')
        include = '#include "conformance/testees/reference/reference_testee.h"\n'
        self.assert_allowed("conformance/main.cc", include)
        self.assert_refused("conformance/runner/cases/case_loader.cc", include, "must not")

    def test_the_reference_does_not_use_datasets(self):
        self.assert_refused("reference/data/a.cc", '#include "image_datasets/idx.h"\n', "must not")

    def test_reports_import_no_code(self):
        self.assert_allowed("reports/badge.py", "import json\nfrom reports import chart\n")
        self.assert_refused("reports/coverage.py", "from conformance.runner import x\n", "must not")

    def test_an_include_that_is_no_path_from_the_root_is_refused(self):
        self.assert_refused("reference/base/error.cc", '#include "error.h"\n', "by its path from the root")

    def test_a_new_folder_needs_a_layer(self):
        self.assert_refused("surprise/a.cc", "", "is in no layer")

    def test_vague_names_are_refused(self):
        for path in [
            "reference/base/utils.h",
            "reference/misc/a.txt",
            "reports/string_util.py",
            "reference/tensor/common.h",
        ]:
            with self.subTest(path):
                self.assertEqual(len(check_layers.check_name(path)), 1)
        self.assertEqual(check_layers.check_name("reference/base/commonality.h"), [])

    def test_every_layer_of_the_table_exists_in_it(self):
        for layer, used in check_layers.LAYERS.items():
            for name in used:
                self.assertIn(name, check_layers.LAYERS, layer)

    def test_the_reference_has_no_circle(self):
        for layer, used in check_layers.LAYERS.items():
            for name in used if layer.startswith("reference") else []:
                self.assertNotIn(layer, check_layers.allowed_layers(name))


class CheckLengthsTest(source_tree.PlantedTree):
    def problems(self, path, text):
        self.plant(path, text)
        return check_lengths.check(self.root)

    def test_the_tree_is_clean(self):
        self.assertEqual(check_lengths.check(source_tree.find_root()), [])

    def test_headers_have_at_most_250_lines(self):
        self.assertEqual(self.problems("a.h", "\n" * 250), [])
        self.assertEqual(self.problems("a.h", "\n" * 251), ["a.h: 251 lines, at most 250: split it by what it holds"])

    def test_tests_have_at_most_500_lines(self):
        self.assertEqual(self.problems("a_test.cc", "\n" * 500), [])
        self.assertEqual(
            self.problems("a_test.cc", "\n" * 501), ["a_test.cc: 501 lines, at most 500: split it by what it holds"]
        )

    def test_other_code_has_at_most_400_lines(self):
        self.assertEqual(self.problems("a.cc", "\n" * 400) + self.problems("b.py", "\n" * 400), [])
        self.assertEqual(len(self.problems("a.cc", "\n" * 401)), 1)
        self.assertEqual(len(self.problems("b.py", "\n" * 401)), 2)

    def test_folders_have_at_most_25_sources(self):
        for number in range(25):
            self.plant("a/b/%d.cc" % number)
        self.plant("a/b/a_test.cc")
        self.plant("a/b/BUILD")
        self.assertEqual(check_lengths.check(self.root), [])
        self.assertEqual(self.problems("a/b/page.html", ""), ["a/b: 26 sources, at most 25: divide it by what they do"])

    def test_functions_have_at_most_60_lines(self):
        self.assertEqual(self.problems("a.cc", "namespace n {\nint f() {\n%s}\n}\n" % ("  g();\n" * 60)), [])
        self.assertEqual(
            self.problems("a.cc", "int e() {\n}\nTEST(F, G) {\n%s}\n" % ("  g();\n" * 61)),
            ["a.cc:3: a function of 61 lines, at most 60"],
        )

    def test_python_functions_have_at_most_60_lines(self):
        self.assertEqual(self.problems("a.py", "def f():\n" + "    g()\n" * 60), [])
        self.assertEqual(
            self.problems("a.py", "class A:\n  def f():\n" + "    g()\n" * 61),
            ["a.py:2: a function of 61 lines, at most 60"],
        )

    def test_classes_and_namespaces_may_be_longer(self):
        for head in ["class A {", "namespace lockstep {", "inline namespace v1 {", "enum class B {"]:
            self.assertEqual(self.problems("a.cc", "%s\n%s}\n" % (head, "x,\n" * 100)), [])


class CheckCommentsTest(source_tree.PlantedTree):
    def problems(self, text):
        self.plant("a/b.h", f"// The file.\n#ifndef A\n#define A\n{text}#endif  // A\n")
        return check_comments.check(self.root)

    def test_the_tree_is_clean(self):
        self.assertEqual(check_comments.check(source_tree.find_root()), [])

    def test_a_comment_above_nothing_is_refused(self):
        self.assertEqual(
            self.problems("// Two tensors.\n\nTensor Add();\n"),
            ["a/b.h:4: a comment above an empty line: move it to what it describes"],
        )

    def test_one_above_its_function_and_a_heading_are_fine(self):
        self.assertEqual(self.problems("// --- Sources\n\n// Two tensors.\nTensor Add();\n"), [])


class CheckEnglishTest(source_tree.PlantedTree):
    def problems(self, text, path="docs/a.md"):
        self.plant(path, text)
        return check_english.check(self.root)

    def test_the_tree_is_clean(self):
        self.assertEqual(check_english.check(source_tree.find_root()), [])

    def test_a_word_is_named_with_its_place_and_a_better_one(self):
        self.assertEqual(self.problems("It runs.\nIt runs anew.\n"), ['docs/a.md:2: "anew": say "again"'])

    def test_capitals_do_not_matter_and_parts_of_words_do(self):
        self.assertEqual(self.problems("Nobody waits.\n"), ['docs/a.md:1: "Nobody": say "no thread, no process, none"'])
        self.assertEqual(self.problems("The column is black; it is recommended.\n"), [])

    def test_each_use_counts(self):
        self.assertEqual(len(self.problems("anew and anew\n")), 2)

    def test_a_phrase_may_be_broken_into_lines(self):
        self.assertEqual(self.problems("It is\nput\nto them.\n"), ['docs/a.md:2: "put to": say "run against"'])
        self.assertEqual(self.problems("put `x` to them\n"), [])

    def test_headings_that_cases_cite_are_left_out(self):
        self.assertEqual(len(self.problems("## Anew\nanew\n", "docs/design.md")), 1)
        self.assertEqual(len(check_english.check_lines("docs/a.md", ["## Anew"])), 1)

    def test_a_phrase_needs_all_its_words(self):
        self.assertEqual(self.problems("what is behind the batch\n"), ['docs/a.md:1: "behind the": say "after"'])
        self.assertEqual(self.problems("it lags behind.\n"), [])

    def test_code_has_a_shorter_list(self):
        self.assertEqual(self.problems("x = 1  # runs anew if wanted\n", "a.py"), ['a.py:1: "anew": say "again"'])
        [problem] = check_english.check_lines("a.cc", ["// what is", "// at", "// hand"])
        self.assertEqual(problem, 'a.cc:2: "at hand": say "available"')

    def test_other_files_are_not_read(self):
        self.assertEqual(self.problems("anew\n", "docs/a.txt"), [])


class CheckWordsTest(source_tree.PlantedTree):
    def assert_refused(self, text, word):
        self.plant("a.md", text)
        problems = check_words.check(self.root)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(word, problems[0])

    def test_the_tree_is_clean(self):
        self.assertEqual(check_words.check(source_tree.find_root()), [])

    def test_clean_text_passes(self):
        self.plant(
            "a.md",
            "see https://example.org/a/b, //tools:x, a/b/c, 1/2/3, /usr/include/zlib.h,\n"
            "`/job:worker/replica:0/task:0`, s/a/b/g and /tmp/x.\n"
            'path = home + "/include/zlib.h"\n'
            "# TODO: drop the copy when Debian ships oneDNN 3\n",
        )
        self.plant("b.png", "\0 /home/somebody")
        self.assertEqual(check_words.check(self.root), [])

    def test_the_checkout_itself_is_refused(self):
        self.assert_refused("in %s/x\n" % self.root, "a.md:1: names the path")

    def test_a_checkout_with_a_short_name_is_not_seen_in_other_paths(self):
        self.assertTrue(check_words.names_path("/lockstep", "cd /lockstep"))
        for line in ("//lockstep_suite:x", "files/lockstep/a", '"$HOME/lockstep"', "/lockstep-2", 'cache + "/lockstep/data"'):
            self.assertFalse(check_words.names_path("/lockstep", line), line)

    def test_a_home_is_refused(self):
        self.assert_refused("x\nsee /home/somebody/x\n", "a.md:2: names the path")

    def test_a_folder_of_one_machine_is_refused(self):
        self.assert_refused('reads "/data/mnist"\n', "absolute path")

    def test_a_bare_note_is_refused(self):
        self.assert_refused("// TODO later\n", "note without its reason")
        self.assert_refused("// FILL IN: what it does\n", "not filled in")
        self.assert_refused("// FIXME: this is broken somehow\n", "note without its reason")

    def test_conflicts_and_line_ends_are_refused(self):
        self.assert_refused("<<<<<<< HEAD\n", "merge conflict")
        self.assert_refused("a \n", "space at the end")
        self.assert_refused("a\r\n", "space at the end")
        self.assert_refused("a\nb", "a.md:2: no line end")

    def test_text_that_is_not_utf_8_is_refused(self):
        with open(os.path.join(self.root, "a.md"), "wb") as stream:
            stream.write(b"gr\xfcn\n")
        self.assertEqual(check_words.check(self.root), ["a.md: neither UTF-8 text nor data"])

    def test_large_files_are_refused(self):
        self.plant("a.bin", "\0" * ((1 << 20) + 1))
        self.plant("image_datasets/embedded/images", "\0" * ((1 << 20) + 1))
        self.assertEqual(check_words.check(self.root), ["a.bin: 1048577 bytes, at most 1048576"])

    def test_generated_and_private_files_are_not_ours(self):
        for path in ["bazel-bin/a.md", ".git/a.md", "user.bazelrc", "tools/__pycache__/a.md"]:
            self.plant(path, "a \n")
        self.plant(".ci/run", "a \n")
        self.assertEqual(len(check_words.check(self.root)), 1)


if __name__ == "__main__":
    xml_unittest.main()
