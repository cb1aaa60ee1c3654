// The content of our SavedModels. benchmarks/peers/exchange/exchange_models.py tests
// that TensorFlow loads one, computes the same and can train it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/failing_system_calls.h"
#include "reference/base/file_testing.h"
#include "reference/base/fuzzing/damage.h"
#include "reference/base/fuzzing/rounds.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/export/saved_model/export_saved_model.h"
#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/tensor_bundle/tensor_bundle.h"
#include "reference/training/exchange/exchange_models.h"

namespace lockstep {
namespace {

using Names = std::vector<std::string>;

saved_model::MetaGraphDef MetaGraphIn(const std::string& folder) {
  saved_model::SavedModel saved;
  EXPECT_TRUE(saved.ParseFromString(ReadWholeFile(folder + "/saved_model.pb")));
  EXPECT_EQ(saved.saved_model_schema_version(), 1);
  return saved.meta_graphs(0);
}

Names OpsOf(const saved_model::FunctionDef& function) {
  Names ops;
  for (const auto& node : function.node_def()) {
    const bool is_value = node.op() == "Const" || node.op() == "ReadVariableOp";
    if (!is_value) ops.push_back(node.op());
  }
  return ops;
}

Names ChildrenOf(const saved_model::SavedObject& object) {
  Names names;
  for (const auto& child : object.children()) {
    names.push_back(child.local_name());
  }
  return names;
}

// A model of one weight, and its stored value.
Model OneWeight(float value) {
  return Sequential(
      {Input({1}, "x"),
       Dense(1, {.use_bias = false,
                 .kernel_initializer = initializers::Constant(value),
                 .name = "y"})},
      "model");
}

float StoredWeight(const std::string& folder) {
  const TensorBundleReader reader(folder + "/variables/variables");
  return reader.Read("variables/0/.ATTRIBUTES/VARIABLE_VALUE").at<float>(0);
}

class SavedModelTest : public testing::Test {
 protected:
  TestFolder folder_;
  const std::string exported_ = folder_ / "exported";
};

TEST_F(SavedModelTest, FolderHasTensorFlowsFiles) {
  ExportSavedModel(OneWeight(2.5), exported_);
  Names names;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(exported_)) {
    names.push_back(
        std::filesystem::relative(entry.path(), exported_).string());
  }
  std::ranges::sort(names);
  EXPECT_EQ(names,
            (Names{"assets", "fingerprint.pb", "saved_model.pb", "variables",
                   "variables/variables.data-00000-of-00001",
                   "variables/variables.index"}));
  EXPECT_EQ(folder_.names(), Names{"exported"});
  EXPECT_EQ(StoredWeight(exported_), 2.5f);
}

// Does not damage saved_model.pb, which has no checksum.
TEST_F(SavedModelTest, DamagedVariables) {
  ExportSavedModel(OneWeight(2.5), exported_);
  for (const char* name : {"variables/variables.index",
                           "variables/variables.data-00000-of-00001"}) {
    const std::string file = exported_ + "/" + name;
    const std::string whole = ReadWholeFile(file);
    ForDamagedCopies(
        whole, 100 * TestRounds(), [&](const std::string& damaged) {
          WriteWholeFile(file, damaged);
          try {
            EXPECT_EQ(StoredWeight(exported_), 2.5f);
          } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::kDataLoss) << error.what();
          }
        });
    WriteWholeFile(file, whole);
  }
}

TEST_F(SavedModelTest, SignatureAndObjects) {
  const SymbolicTensor b = Input({2}, "b"), a = Input({3}, "A-1");
  const Model model(
      {b, a}, {Dense(4, {.name = "z"})(b), Concatenate(-1, "joined")({a, b})},
      "two");
  ExportSavedModel(model, exported_);
  const saved_model::MetaGraphDef meta = MetaGraphIn(exported_);
  EXPECT_EQ(meta.meta_info_def().tags(0), "serve");
  const auto& signature = meta.signature_def().at("serving_default");
  EXPECT_EQ(signature.method_name(), "tensorflow/serving/predict");
  EXPECT_EQ(signature.inputs().at("a_1").name(), "serving_default_a_1:0");
  EXPECT_EQ(signature.inputs().at("b").tensor_shape().dim(0).size(), -1);
  EXPECT_EQ(signature.inputs().at("b").tensor_shape().dim(1).size(), 2);
  // Dictionaries are sorted: "joined" is the function's first result.
  EXPECT_EQ(signature.outputs().at("joined").name(),
            "StatefulPartitionedCall:0");
  const auto& functions = meta.graph_def().library().function();
  ASSERT_EQ(functions.size(), 2);
  EXPECT_EQ(functions[0].signature().input_arg(0).name(), "a_1");
  EXPECT_EQ(functions[1].signature().input_arg(0).name(), "b");
  EXPECT_EQ(functions[1].signature().output_arg(0).name(), "result_z");

  const auto& objects = meta.object_graph_def();
  EXPECT_EQ(ChildrenOf(objects.nodes(0)),
            (Names{"variables", "trainable_variables",
                   "non_trainable_variables", "signatures", "serve"}));
  const auto& serve = objects.concrete_functions().at("__inference_serve_2");
  EXPECT_EQ(serve.bound_inputs_size(), 2);
  EXPECT_EQ(objects.nodes(serve.bound_inputs(0)).variable().name(), "z/kernel");
  EXPECT_EQ(serve.output_signature().tuple_value().values_size(), 2);
  EXPECT_EQ(meta.saver_def().restore_op_name(), "restore_all");
}

TEST_F(SavedModelTest, ExportsEveryLayer) {
  ExportSavedModel(MakeExchangeModel("functional"), exported_);
  EXPECT_EQ(
      OpsOf(MetaGraphIn(exported_).graph_def().library().function(0)),
      (Names{"Conv2D",  "BiasAdd",  "Relu",    "Sub",     "AddV2",   "Rsqrt",
             "Mul",     "Mul",      "AddV2",   "Relu",    "AddV2",   "MaxPool",
             "Reshape", "MatMul",   "BiasAdd", "Tanh",    "MatMul",  "BiasAdd",
             "Mean",    "ConcatV2", "MatMul",  "BiasAdd", "Identity"}));
  ExportSavedModel(MakeExchangeModel("sequential"), exported_);
  EXPECT_EQ(OpsOf(MetaGraphIn(exported_).graph_def().library().function(0)),
            (Names{"Pad", "Conv2D", "AvgPool", "Reshape", "MatMul", "BiasAdd",
                   "Identity"}));
  ExportSavedModel(MakeExchangeModel("attention"), exported_);
  const Names ops =
      OpsOf(MetaGraphIn(exported_).graph_def().library().function(0));
  EXPECT_EQ(
      Names(ops.begin(), ops.begin() + 13),
      (Names{"Cast", "GatherV2", "Einsum", "AddV2", "Einsum", "AddV2", "Einsum",
             "AddV2", "Mul", "Einsum", "Softmax", "Einsum", "Einsum"}));
}

TEST_F(SavedModelTest, MirroredModelGivesTheSameBytes) {
  {
    const auto strategy = MakeStrategy(2);
    const StrategyScope scope(*strategy);
    ExportSavedModel(OneWeight(3), exported_);
  }
  ExportSavedModel(OneWeight(3), folder_ / "alone");
  for (const char* file : {"saved_model.pb", "variables/variables.index",
                           "variables/variables.data-00000-of-00001"}) {
    EXPECT_EQ(ReadWholeFile(exported_ + "/" + file),
              ReadWholeFile(folder_ / "alone" + "/" + file))
        << file;
  }
}

class OwnImpl : public TensorLayerImpl {
 public:
  OwnImpl() : TensorLayerImpl("own") {}
  Shape ComputeOutputShape(const Shape& shape) const override { return shape; }

 protected:
  Tensor Call(const Tensor& x, bool) override { return x; }
};

TEST_F(SavedModelTest, UnsupportedModels) {
  const auto expect = [&](const Layer& layer, Code code,
                          const std::string& words) {
    ExpectError([&] { ExportSavedModel(layer, exported_); }, code, words);
  };
  expect(Dense(1, {.name = "d"}), Code::kInvalidArgument, "got 'd'");
  expect(Sequential({Dense(1)}, "s"), Code::kFailedPrecondition, "'s'");
  expect(Sequential({Input({1}), MakeLayer<OwnImpl>()}), Code::kUnimplemented,
         "'own'");
  expect(Sequential(
             {Input({1}), Dense(1, {.dtype = "mixed_bfloat16", .name = "d"})}),
         Code::kUnimplemented, "'d' computes in bfloat16");
  EXPECT_EQ(folder_.names(), Names{});
  WriteWholeFile(exported_, "a file");
  expect(OneWeight(1), Code::kInvalidArgument, "is a file");
  EXPECT_EQ(ReadWholeFile(exported_), "a file");
}

TEST_F(SavedModelTest, FailedSystemCallLeavesTheOldFolder) {
  ExportSavedModel(OneWeight(1), exported_);
  const Model model = OneWeight(2);
  const int calls = FailEachCall(
      ENOSPC, [&] { ExportSavedModel(model, exported_); },
      [&](const Error& error) {
        EXPECT_EQ(error.code(), Code::kResourceExhausted) << error.what();
        EXPECT_EQ(folder_.names(), Names{"exported"});
        const float stored = StoredWeight(exported_);
        EXPECT_TRUE(stored == 1 || stored == 2);
        EXPECT_EQ(MetaGraphIn(exported_).meta_info_def().tags_size(), 1);
      });
  EXPECT_GE(calls, 15);  // four files, each with five calls at least
  EXPECT_EQ(StoredWeight(exported_), 2);
}

TEST_F(SavedModelTest, KilledProcessLeavesACompleteFolder) {
  const Model old_model = OneWeight(1), new_model = OneWeight(2);
  bool killed = true;
  for (int which = 1; killed; which += 2) {
    ExportSavedModel(old_model, exported_);
    killed = KilledAt(which, [&] { ExportSavedModel(new_model, exported_); });
    const float stored = StoredWeight(exported_);
    EXPECT_TRUE(stored == 1 || stored == 2) << which;
    EXPECT_EQ(MetaGraphIn(exported_).meta_info_def().tags_size(), 1);
  }
  EXPECT_EQ(StoredWeight(exported_), 2);
}

}  // namespace
}  // namespace lockstep
