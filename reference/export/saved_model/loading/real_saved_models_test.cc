// Runs SavedModels that TensorFlow 2.21 and Keras 3.15.1 wrote
// (testdata/README.md), and our own, with and without a strategy.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/base/json.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/variables/distributed_variable.h"
#include "reference/export/saved_model/export_saved_model.h"
#include "reference/export/saved_model/loading/load_saved_model.h"
#include "reference/training/exchange/exchange_models.h"

namespace lockstep {
namespace {

using TensorsByName = std::map<std::string, Tensor>;

const std::string kRealModels =
    "reference/export/saved_model/loading/testdata/";

template <typename T>
Tensor TensorOf(const Json& json) {
  const auto dims = json["shape"].get<std::vector<int64_t>>();
  return Tensor::FromVector(json["values"].get<std::vector<T>>(), Shape(dims));
}

TensorsByName TensorsIn(const Json& json) {
  TensorsByName tensors;
  for (const auto& [name, value] : json.items()) {
    const std::string dtype = value["dtype"];
    tensors[name] = dtype == "string"    ? TensorOf<std::string>(value)
                    : dtype == "float32" ? TensorOf<float>(value)
                    : dtype == "int32"   ? TensorOf<int32_t>(value)
                                         : TensorOf<int64_t>(value);
  }
  return tensors;
}

// Relative for numbers above 1. Not exact, as TensorFlow adds in another order.
void ExpectAlike(const TensorsByName& got, const TensorsByName& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (const auto& [name, value] : wanted) {
    ASSERT_TRUE(got.contains(name)) << name;
    const Tensor& result = got.at(name);
    ASSERT_EQ(SpecOf(result), SpecOf(value)) << name;
    if (value.dtype() == DType::kString) {
      EXPECT_EQ(result.ToVector<std::string>(), value.ToVector<std::string>());
      continue;
    }
    const auto numbers = result.Cast(DType::kFloat64).ToVector<double>();
    const auto expected = value.Cast(DType::kFloat64).ToVector<double>();
    for (size_t i = 0; i < numbers.size(); ++i) {
      const double scale = std::max(1.0, std::abs(expected[i]));
      EXPECT_NEAR(numbers[i], expected[i], 1e-6 * scale) << name << " " << i;
    }
  }
}

class RealSavedModelsTest : public testing::TestWithParam<std::string> {
 protected:
  SavedModel Load() const { return LoadSavedModel(kRealModels + GetParam()); }
  static Json Expected(const std::string& model) {
    const Json numbers = ReadJsonFile(kRealModels + "expected.json");
    if (numbers.contains(model)) return numbers.at(model);
    return ReadJsonFile(kRealModels + "expected_words.json").at(model);
  }
  const Json expected_ = Expected(GetParam());
  const TensorsByName inputs_ = TensorsIn(expected_["inputs"]);
  const TensorsByName outputs_ = TensorsIn(expected_["outputs"]);
};

INSTANTIATE_TEST_SUITE_P(Models, RealSavedModelsTest,
                         testing::Values("cnn_keras", "mlp_tf_keras", "module",
                                         "words_keras", "word_file_keras",
                                         "text_ngrams_tf_keras"));

TEST_P(RealSavedModelsTest, ComputesTheSameAsTensorFlow) {
  ExpectAlike(Load().Run(inputs_), outputs_);
}

TEST_P(RealSavedModelsTest, EachReplicaComputesTheSame) {
  const auto strategy = MakeStrategy(2);
  const StrategyScope scope(*strategy);
  const SavedModel model = Load();
  const auto results = strategy->Run([&] { return model.Run(inputs_); });
  ExpectAlike(results[0], outputs_);
  ExpectAlike(results[1], outputs_);
  for (const VariablePtr& variable : model.variables()) {
    const auto* mirrored =
        dynamic_cast<const DistributedVariable*>(variable.get());
    ASSERT_NE(mirrored, nullptr) << variable->name();
    EXPECT_EQ(mirrored->num_copies(), 2);
    EXPECT_TRUE(BitwiseEqual(mirrored->copy(0), mirrored->copy(1)));
  }
}

TEST(LoadSavedModelTest, ReturnsTheSignature) {
  const SavedModel model = LoadSavedModel(kRealModels + "module");
  EXPECT_EQ(model.outputs(), (std::vector<std::string>{"rows", "total"}));
  ASSERT_EQ(model.inputs().size(), 2);
  EXPECT_EQ(model.inputs().at("image"),
            (TensorSpec{Shape{-1, 5, 6, 1}, DType::kFloat32}));
  EXPECT_EQ(model.inputs().at("codes"),
            (TensorSpec{Shape{-1, 2}, DType::kInt32}));
  ASSERT_EQ(model.variables().size(), 2);
  for (const VariablePtr& variable : model.variables()) {
    EXPECT_EQ(variable->trainable(), variable->name() == "kernel");
  }
  LoadSavedModel(kRealModels + "cnn_keras", {.signature = "serve"});
  ExpectError(
      [&] {
        LoadSavedModel(kRealModels + "cnn_keras", {.signature = "predict"});
      },
      Code::kNotFound, "no signature 'predict', only [serve, serving_default]");
  ExpectError([&] { LoadSavedModel(kRealModels + "nothing"); }, Code::kNotFound,
              "saved_model.pb");
}

TEST(LoadSavedModelTest, ChecksArguments) {
  const SavedModel model = LoadSavedModel(kRealModels + "mlp_tf_keras");
  const Tensor fits = Tensor::Zeros(Shape{0, 4});
  EXPECT_EQ(model.Run({{"input_1", fits}}).at("dense_1").shape(),
            (Shape{0, 2}));
  const auto refused = [&](const TensorsByName& inputs,
                           const std::string& words) {
    ExpectError([&] { model.Run(inputs); }, Code::kInvalidArgument, words);
  };
  refused({}, "there is no argument 'input_1'");
  refused({{"input_1", fits}, {"x", fits}}, "unknown argument 'x'");
  refused({{"input_1", Tensor::Zeros(Shape{2, 5})}},
          "'input_1' is float32 (None, 4), got float32 (2, 5)");
  refused({{"input_1", Tensor::Zeros(Shape{2, 4}, DType::kInt32)}},
          "got int32 (2, 4)");
}

TEST(LoadSavedModelTest, GradientsReachTheVariables) {
  const SavedModel model = LoadSavedModel(kRealModels + "mlp_tf_keras");
  std::vector<VariablePtr> trained;
  for (const VariablePtr& variable : model.variables()) {
    if (variable->trainable()) trained.push_back(variable);
  }
  ASSERT_EQ(trained.size(), 6);
  GradientTape tape;
  const Tensor y =
      model.Run({{"input_1", Tensor::Full(Shape{1, 4}, 1.0f)}}).at("dense_1");
  for (const auto& gradient : tape.Gradient(y, trained)) {
    EXPECT_TRUE(gradient.has_value());
  }
}

class OwnSavedModelTest : public testing::TestWithParam<std::string> {
 protected:
  TestFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Models, OwnSavedModelTest,
                         testing::Values("functional", "sequential", "words"));

TEST_P(OwnSavedModelTest, ComputesTheSameAsTheModel) {
  const Model model = MakeExchangeModel(GetParam());
  CompileForExchange(model);
  TrainSteps(model, 2, GetParam());
  ExportSavedModel(model, folder_ / "exported");
  const SavedModel loaded = LoadSavedModel(folder_ / "exported");
  ASSERT_EQ(loaded.inputs().size(), 1);
  ASSERT_EQ(loaded.outputs().size(), 1);
  const Tensor inputs = MakeExchangeBatch(GetParam()).inputs;
  ExpectAlike(loaded.Run({{loaded.inputs().begin()->first, inputs}}),
              {{loaded.outputs()[0], model.Predict(inputs)}});
}

TEST(LoadSavedModelTest, UnsupportedOperationFailsToLoad) {
  const TestFolder folder;
  ExportSavedModel(MakeExchangeModel("attention"), folder / "exported");
  ExpectError([&] { LoadSavedModel(folder / "exported"); },
              Code::kUnimplemented,
              "(Einsum): this operation is not supported");
}

}  // namespace
}  // namespace lockstep
