// Reads weights that tf_keras 2.21 wrote in TensorFlow's format
// (testdata/README.md), and writes the same.
#include "reference/export/keras/keras2_weights.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/base/json.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/layers/core_layers.h"
#include "reference/tensor_bundle/tensor_bundle.h"
#include "reference/training/exchange/exchange_models.h"

namespace lockstep {
namespace {

std::string Keras2File(const std::string& model, const std::string& file) {
  return "reference/export/testdata/tf_keras_" + model + "/" + file;
}

void ExpectKeras2Predictions(const Model& model, const std::string& name) {
  const Json rows =
      ReadJsonFile(Keras2File(name, "expected.json")).at("predictions");
  const Tensor got = model.Predict(MakeExchangeBatch(name).inputs);
  ASSERT_EQ(got.dim(0), static_cast<int64_t>(rows.size()));
  for (int64_t row = 0; row < got.dim(0); ++row) {
    const auto wanted = rows[row].get<std::vector<double>>();
    for (int64_t i = 0; i < got.dim(1); ++i) {
      EXPECT_NEAR(got.Row(row).at<float>(i), wanted[i], 4e-6) << row;
    }
  }
}

class Keras2WeightsTest : public testing::TestWithParam<std::string> {
 protected:
  TestFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Models, Keras2WeightsTest,
                         testing::Values("functional", "attention"));

// Predictions are up to 4, and 4e-6 is eight units in the last place of 4.
TEST_P(Keras2WeightsTest, ReadsTfKerasFiles) {
  const Model model = MakeExchangeModel(GetParam());
  LoadKeras2Weights(Keras2File(GetParam(), "weights"), model);
  ExpectKeras2Predictions(model, GetParam());
}

TEST_P(Keras2WeightsTest, WritesTheSameAsTfKeras) {
  const std::string written = folder_ / "weights";
  {
    const auto strategy = MakeStrategy(2);
    const StrategyScope scope(*strategy);
    const Model model = MakeExchangeModel(GetParam());
    LoadKeras2Weights(Keras2File(GetParam(), "weights"), model);
    SaveKeras2Weights(written, model);
  }
  const TensorBundleReader ours(written);
  const TensorBundleReader theirs(Keras2File(GetParam(), "weights"));
  ASSERT_EQ(ours.keys(), theirs.keys());
  for (const std::string& key : ours.keys()) {
    if (ours.Spec(key).dtype == DType::kString) continue;
    EXPECT_TRUE(BitwiseEqual(ours.Read(key), theirs.Read(key))) << key;
  }
}

TEST_F(Keras2WeightsTest, AnotherModelIsUnchanged) {
  const Model model = MakeExchangeModel("sequential");
  const auto before = model.variables()[0]->Read();
  ExpectError(
      [&] { LoadKeras2Weights(Keras2File("functional", "weights"), model); },
      Code::kFailedPrecondition,
      "has no value for layer_with_weights-1/kernel");
  EXPECT_TRUE(BitwiseEqual(model.variables()[0]->Read(), before));
  ExpectError([&] { SaveKeras2Weights(folder_ / "w", Dense(1)); },
              Code::kInvalidArgument,
              "[Keras2Weights] the model must be Sequential");
  ExpectError([&] { SaveKeras2Weights(folder_ / "w", Sequential({Dense(1)})); },
              Code::kFailedPrecondition, "build it first");
  EXPECT_TRUE(folder_.names().empty());
}

// tf_keras 2.21 loads such a file without an error and predicts other numbers.
TEST_F(Keras2WeightsTest, VocabulariesAreRefused) {
  const Model model = MakeExchangeModel("words");
  ExpectError([&] { SaveKeras2Weights(folder_ / "w", model); },
              Code::kUnimplemented,
              "has a vocabulary, which weights of Keras 2 do not have; use "
              "SaveKerasModel or ExportSavedModel");
  EXPECT_TRUE(folder_.names().empty());
  ExpectError(
      [&] { LoadKeras2Weights(Keras2File("functional", "weights"), model); },
      Code::kUnimplemented, "[Keras2Weights] 'string_lookup");
}

}  // namespace
}  // namespace lockstep
