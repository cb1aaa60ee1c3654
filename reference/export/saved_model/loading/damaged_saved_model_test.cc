// SavedModels that are damaged or too large.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/base/fuzzing/damage.h"
#include "reference/base/fuzzing/rounds.h"
#include "reference/export/saved_model/loading/run_on_ones.h"
#include "reference/export/saved_model/loading/small_saved_model.h"

namespace lockstep {
namespace {

using export_internal::MakeNode;

const std::string kWhole = "reference/export/saved_model/loading/testdata/";

// The limit keeps damaged sizes small, so that the test is fast.
constexpr LoadSavedModelOptions Limited() {
  return {.signature = "serving_default", .memory_limit = 1 << 20};
}

class DamagedSavedModelTest : public testing::TestWithParam<std::string> {
 protected:
  DamagedSavedModelTest() {
    std::filesystem::copy(kWhole + GetParam(), folder_ / "model",
                          std::filesystem::copy_options::recursive);
  }
  void ExpectRefusedOrRun(const std::string& file, int copies) {
    const std::string path = folder_ / "model/" + file;
    const std::string whole = ReadWholeFile(path);
    ForDamagedCopies(whole, copies, [&](const std::string& damaged) {
      std::filesystem::remove(path);
      WriteWholeFile(path, damaged);
      try {
        RunOnOnes(LoadSavedModel(folder_ / "model", Limited()));
      } catch (const Error& error) {
        EXPECT_NE(error.code(), Code::kInternal) << error.what();
      }
    });
    std::filesystem::remove(path);
    WriteWholeFile(path, whole);
  }

  TestFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Models, DamagedSavedModelTest,
                         testing::Values("cnn_keras", "mlp_tf_keras", "module",
                                         "word_file_keras",
                                         "text_ngrams_tf_keras"));

TEST_P(DamagedSavedModelTest, GraphIsRefusedOrRuns) {
  ExpectRefusedOrRun("saved_model.pb", 1000 * TestRounds());
}

TEST_P(DamagedSavedModelTest, VariablesAreRefusedOrRun) {
  ExpectRefusedOrRun("variables/variables.index", 100 * TestRounds());
  ExpectRefusedOrRun("variables/variables.data-00000-of-00001",
                     100 * TestRounds());
}

// A model without variables reads no file of them.
TEST_P(DamagedSavedModelTest, MissingVariablesAreNotFound) {
  const bool has_none = LoadSavedModel(folder_ / "model").variables().empty();
  std::filesystem::remove_all(folder_ / "model/variables");
  if (has_none) {
    RunOnOnes(LoadSavedModel(folder_ / "model"));
    return;
  }
  ExpectError([&] { LoadSavedModel(folder_ / "model"); }, Code::kNotFound,
              "variables");
}

// A graph with the input x, to which tests add nodes.
class MalformedGraphTest : public testing::Test {
 protected:
  MalformedGraphTest() { x_ = model_.Input("x", DType::kFloat32, Shape{-1}); }
  void AddCall(saved_model::FunctionDef& function, const std::string& name,
               const std::string& called, const std::string& input) {
    export_internal::AttrValue value;
    value.mutable_func()->set_name(called);
    *function.add_node_def() =
        MakeNode("PartitionedCall", name, {input}, {{"f", value}});
  }
  // `body` calls the next one twice.
  saved_model::FunctionDef& AddTwoCalls(const std::string& name,
                                        const std::string& called) {
    auto& function = model_.AddFunction();
    function.mutable_signature()->set_name(name);
    function.mutable_signature()->add_input_arg()->set_name("x");
    function.mutable_signature()->add_output_arg()->set_name("y");
    AddCall(function, "a", called, "x");
    AddCall(function, "b", called, "a:output:0");
    (*function.mutable_ret())["y"] = "b:output:0";
    return function;
  }
  void ExpectRefused(Code code, const std::string& words) {
    ExpectError([&] { model_.Load(Limited()); }, code, words);
  }

  SmallSavedModel model_;
  std::string x_;
};

TEST_F(MalformedGraphTest, CycleOfNodes) {
  *model_.function().add_node_def() = MakeNode(
      "AddV2", "a", {"x", "b:z:0"}, {{"T", export_internal::TypeAttribute(1)}});
  *model_.function().add_node_def() = MakeNode(
      "Relu", "b", {"a:z:0"}, {{"T", export_internal::TypeAttribute(1)}});
  model_.Output("y", "a:z:0");
  ExpectRefused(Code::kDataLoss, "node 'a' depends on itself");
}

TEST_F(MalformedGraphTest, RecursiveFunction) {
  AddCall(model_.function(), "call", "f", "x");
  model_.Output("y", "call:output:0");
  ExpectRefused(Code::kUnimplemented, "nested more than 64 deep");
}

// 2^60 nodes after inlining.
TEST_F(MalformedGraphTest, ExponentialInlining) {
  for (int i = 0; i < 60; ++i) {
    AddTwoCalls("g" + std::to_string(i), "g" + std::to_string(i + 1));
  }
  auto& last = AddTwoCalls("g60", "none");
  (*last.mutable_ret())["y"] = "x";
  AddCall(model_.function(), "call", "g0", "x");
  model_.Output("y", "call:output:0");
  ExpectRefused(Code::kUnimplemented, "more than 1000000 nodes and edges");
}

TEST_F(MalformedGraphTest, LongChainDoesNotOverflowTheStack) {
  std::string last = x_;
  for (int i = 0; i < 100000; ++i) {
    last = model_.nodes().Add("Identity", {last}, {}, "output");
  }
  model_.Output("y", last);
  EXPECT_EQ(model_.Load(Limited())
                .Run({{"x", Tensor::FromVector<float>({3})}})
                .at("y")
                .ToVector<float>(),
            std::vector<float>{3});
}

TEST_F(MalformedGraphTest, UnknownNames) {
  model_.Output("y", "none:output:0");
  ExpectRefused(Code::kDataLoss, "has no node 'none'");
  (*model_.function().mutable_ret())["y"] = "x:output:1";
  ExpectRefused(Code::kDataLoss, "node 'x' has no result 1");
  AddCall(model_.function(), "call", "nowhere", "x");
  (*model_.function().mutable_ret())["y"] = "call:output:0";
  ExpectRefused(Code::kDataLoss, "there is no function 'nowhere'");
}

// Control outputs are checked too, although the plan omits them.
TEST_F(MalformedGraphTest, ControlOutputsAreChecked) {
  model_.Output("y", x_);
  *model_.function().add_node_def() = MakeNode("NoOp", "nothing", {}, {});
  (*model_.function().mutable_control_ret())["n"] = "nothing";
  model_.Load();
  *model_.function().add_node_def() =
      MakeNode("AssignVariableOp", "assign", {"x", "x"}, {});
  *model_.function().add_node_def() = MakeNode("NoOp", "then", {"^assign"}, {});
  (*model_.function().mutable_control_ret())["n"] = "then";
  ExpectRefused(Code::kUnimplemented,
                "node 'assign' (AssignVariableOp): this operation");
}

export_internal::AttrValue Zeros(const Shape& shape) {
  export_internal::AttrValue value;
  value.mutable_tensor()->set_dtype(tensor_bundle::DT_FLOAT);
  *value.mutable_tensor()->mutable_tensor_shape() =
      export_internal::ShapeProto(shape);
  return value;
}

TEST_F(MalformedGraphTest, SmallConstantOfALargeShape) {
  const std::string zeros = model_.nodes().Add(
      "Const", {}, {{"value", Zeros(Shape{int64_t{1} << 40, 1 << 30})}},
      "output");
  model_.Output("y", zeros);
  ExpectRefused(Code::kResourceExhausted, "1048576 at most");
}

TEST_F(MalformedGraphTest, LargeProducts) {
  const std::string row = model_.nodes().Add(
      "Const", {}, {{"value", Zeros(Shape{1, 1000})}}, "output");
  const std::string column = model_.nodes().Add(
      "Const", {}, {{"value", Zeros(Shape{1000, 1})}}, "output");
  model_.Output("y", model_.nodes().AddFloat("MatMul", {column, row}, "out"));
  const std::map<std::string, Tensor> x = {
      {"x", Tensor::FromVector<float>({1})}};
  ExpectError([&] { model_.Load(Limited()).Run(x); }, Code::kResourceExhausted,
              "node 'MatMul' (MatMul): needs 4000000 bytes");
  (*model_.function().mutable_ret())["y"] =
      model_.nodes().AddFloat("AddV2", {column, row}, "z");
  ExpectError([&] { model_.Load(Limited()).Run(x); }, Code::kResourceExhausted,
              "give LoadSavedModel a larger memory_limit");
  EXPECT_EQ(model_.Load().Run(x).at("y").shape(), (Shape{1000, 1000}));
}

TEST_F(MalformedGraphTest, ObjectsOutOfRange) {
  model_.Output("y", x_);
  model_.concrete().add_bound_inputs(7);
  model_.function().mutable_signature()->add_input_arg()->set_name("v");
  ExpectRefused(Code::kDataLoss, "there is no object 7 of 3");
  model_.concrete().set_bound_inputs(0, 1);
  ExpectRefused(Code::kUnimplemented,
                "needs object 1, which is not a variable");
}

TEST_F(MalformedGraphTest, OtherFiles) {
  model_.Output("y", x_);
  model_.graph().mutable_meta_info_def()->set_tags(0, "train");
  ExpectRefused(Code::kNotFound, "no graph of the tag 'serve'");
  model_.graph().mutable_meta_info_def()->set_tags(0, "serve");
  model_.graph().clear_object_graph_def();
  ExpectRefused(Code::kUnimplemented, "has no objects");
}

}  // namespace
}  // namespace lockstep
