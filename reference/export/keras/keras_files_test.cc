// Files that Keras 3.15.1 wrote, and our own. Keras' results for them are in
// testdata's expected.json (benchmarks/peers/exchange/keras_model_files.py).
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/export/keras/config_reader.h"
#include "reference/export/keras/keras_model.h"
#include "reference/export/keras/keras_weights.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/layer_config.h"
#include "reference/layers/transformer/dropout.h"
#include "reference/layers/transformer/layer_normalization.h"
#include "reference/training/exchange/exchange_models.h"

namespace lockstep {
namespace {

const std::string kTestdata = "reference/export/testdata/keras_";

Json Expected(const std::string& name) {
  return ReadJsonFile(kTestdata + name + "/expected.json");
}

void ExpectPredictions(const Model& model, const Json& expected) {
  const ExchangeBatch batch = MakeExchangeBatch();
  const Tensor got = model.Predict(batch.inputs);
  ASSERT_EQ(got.dim(0), static_cast<int64_t>(expected.size()));
  for (int64_t row = 0; row < got.dim(0); ++row) {
    const auto wanted = expected[row].get<std::vector<double>>();
    for (int64_t i = 0; i < got.dim(1); ++i) {
      EXPECT_NEAR(got.Row(row).at<float>(i), wanted[i], 1e-6) << row;
    }
  }
}

void ExpectNear(const std::vector<double>& got, const Json& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i].get<double>(), 1e-6) << i;
  }
}

// Parameters: model, number of replicas; 0 is without a strategy.
class KerasFilesTest
    : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  KerasFilesTest() {
    if (replicas() > 0) {
      strategy_ = MakeStrategy(replicas());
      scope_.emplace(*strategy_);
    }
  }
  const std::string& name() const { return std::get<0>(GetParam()); }
  int replicas() const { return std::get<1>(GetParam()); }

  TestFolder folder_;
  std::unique_ptr<MirroredStrategy> strategy_;
  std::optional<StrategyScope> scope_;
};

INSTANTIATE_TEST_SUITE_P(Replicas, KerasFilesTest,
                         testing::Combine(testing::Values("functional",
                                                          "sequential"),
                                          testing::Values(0, 2)));

TEST_P(KerasFilesTest, KerasModelPredictsAndTrains) {
  const std::string file = kTestdata + name() + "/model.keras";
  const Json expected = Expected(name());
  const KerasModel loaded = LoadKerasModel(file);
  const Model model(loaded.model.shared_impl());
  EXPECT_EQ(loaded.compile_config.optimizer["class_name"], "Adam");
  EXPECT_EQ(loaded.compile_config.metrics, Json::array({"accuracy"}));
  ExpectPredictions(model, expected["predictions"]);
  CompileForExchange(model);
  LoadKerasWeights(file, model, &model.optimizer());
  EXPECT_EQ(model.optimizer().iterations(), expected["iterations"]);
  const ExchangeBatch batch = MakeExchangeBatch();
  EXPECT_NEAR(model.TestOnBatch({batch.inputs, batch.labels}).at("loss"),
              expected["loss"].get<double>(), 1e-6);
  // Batch normalization uses each replica's moments, so losses differ.
  if (replicas() > 0 && name() == "functional") return;
  ExpectNear(TrainSteps(model, 2), expected["next_losses"]);
}

TEST_P(KerasFilesTest, OwnFileRoundTrips) {
  const Model model = MakeExchangeModel(name());
  CompileForExchange(model);
  TrainSteps(model, 2);
  const std::string file = folder_ / "model.keras";
  SaveKerasModel(file, model, ExchangeCompileConfig(), &model.optimizer());
  const std::vector<double> expected = TrainSteps(model, 2);

  const Model again(LoadKerasModel(file).model.shared_impl());
  EXPECT_EQ(again.impl().Config().config, model.impl().Config().config);
  CompileForExchange(again);
  LoadKerasWeights(file, again, &again.optimizer());
  EXPECT_EQ(again.optimizer().iterations(), 2);
  EXPECT_EQ(TrainSteps(again, 2), expected);
}

std::vector<std::vector<float>> Values(const std::vector<VariablePtr>& all) {
  std::vector<std::vector<float>> values;
  for (const VariablePtr& variable : all) {
    if (variable->dtype() != DType::kFloat32) continue;
    values.push_back(variable->values()[0].save().ToVector<float>());
  }
  return values;
}

TEST(KerasWeightsTest, KerasWeightsFitOtherLayerNames) {
  const Model model = MakeExchangeModel("functional");
  LoadKerasWeights(kTestdata + "functional/model.weights.h5", model);
  ExpectPredictions(model, Expected("functional")["predictions"]);
}

TEST(KerasWeightsTest, OneReplicaReadsFilesOfTwo) {
  const TestFolder folder;
  const std::string file = folder / "model.weights.h5";
  std::vector<std::vector<float>> written;
  {
    const auto strategy = MakeStrategy(2);
    const StrategyScope scope(*strategy);
    const Model model = MakeExchangeModel("functional");
    CompileForExchange(model);
    TrainSteps(model, 1);
    SaveKerasWeights(file, model, &model.optimizer());
    written = Values(model.variables());
  }
  const Model model = MakeExchangeModel("functional");
  LoadKerasWeights(file, model);
  EXPECT_EQ(Values(model.variables()), written);
}

TEST(KerasWeightsTest, SameModelGivesTheSameBytes) {
  const TestFolder folder;
  const Model model = MakeExchangeModel("sequential");
  SaveKerasWeights(folder / "a", model);
  SaveKerasWeights(folder / "b", model);
  EXPECT_EQ(ReadWholeFile(folder / "a"), ReadWholeFile(folder / "b"));
}

// Files that do not fit a model, which is then unchanged.

class MisfitTest : public testing::Test {
 protected:
  // Saves `written`, and expects that `read` cannot load it.
  void ExpectMisfit(const Model& written, const Model& read, Code code,
                    const std::string& words) {
    SaveKerasWeights(folder_ / "w", written);
    const auto before = Values(read.variables());
    ExpectError([&] { LoadKerasWeights(folder_ / "w", read); }, code, words);
    EXPECT_EQ(Values(read.variables()), before);
  }
  static Model OneDense(int64_t inputs, int64_t units, bool use_bias = true) {
    return Sequential({Input({inputs}), Dense(units, {.use_bias = use_bias})});
  }

  TestFolder folder_;
};

TEST_F(MisfitTest, OtherShapes) {
  ExpectMisfit(OneDense(2, 3), OneDense(2, 4), Code::kInvalidArgument,
               "'layers/dense/vars/0' is float32 (2, 3)");
}

TEST_F(MisfitTest, MissingAndMoreVariables) {
  ExpectMisfit(OneDense(2, 3, false), OneDense(2, 3), Code::kNotFound,
               "no 'layers/dense/vars/1'");
  ExpectMisfit(OneDense(2, 3), OneDense(2, 3, false), Code::kInvalidArgument,
               "has 'layers/dense/vars/1', the model does not");
}

TEST_F(MisfitTest, NoWeightsYet) {
  const Sequential unbuilt({Dense(3)});
  ExpectError([&] { SaveKerasWeights(folder_ / "w", unbuilt); },
              Code::kFailedPrecondition, "Build");
  EXPECT_EQ(folder_.names().size(), 0u);
}

TEST_F(MisfitTest, OptimizerWithoutState) {
  const Model model = OneDense(2, 3);
  CompileForExchange(model);
  SaveKerasWeights(folder_ / "w", model);
  ExpectError(
      [&] { LoadKerasWeights(folder_ / "w", model, &model.optimizer()); },
      Code::kNotFound, "optimizer/vars/0");
  ExpectError(
      [&] { SaveKerasModel(folder_ / "m", model, {}, &model.optimizer()); },
      Code::kInvalidArgument, "no optimizer in compile_config");
}

TEST_F(MisfitTest, MissingFileAndFolder) {
  const Model model = OneDense(2, 3);
  ExpectError([&] { LoadKerasWeights(folder_ / "none", model); },
              Code::kNotFound, "none");
  ExpectError([&] { LoadKerasModel(folder_.path()); }, Code::kInvalidArgument,
              "is not a file");
  ExpectError([&] { SaveKerasWeights(folder_ / "no/where", model); },
              Code::kNotFound, "no/where");
}

// Saves and loads a model of every layer.
TEST(LayerRegistryTest, AllLayersRoundTrip) {
  const RegularizerPtr l1 = std::make_shared<L1>(0.25);
  const SymbolicTensor image = Input({9, 9, 2}, "image");
  SymbolicTensor x = Conv2D(4, {3, 2},
                            {.strides = {1, 2},
                             .padding = Padding::kSame,
                             .activation = Activation::kSigmoid,
                             .bias_regularizer = l1})(image);
  x = ZeroPadding2D(kernels::Pad2DOptions{.top = 1, .right = 3})(x);
  x = AveragePooling2D({2, 3}, {.strides = Size2D(1, 1)})(x);
  x = MaxPooling2D(3, {.padding = Padding::kSame})(x);
  x = BatchNormalization({.momentum = 0.75,
                          .epsilon = 0.5,
                          .scale = false,
                          .synchronized = true,
                          .beta_regularizer = l1})(x);
  x = LayerNormalization({.epsilon = 0.25, .center = false})(x);
  x = Dropout(0.5, {.seed = 7})(ActivationLayer(Activation::kTanh)(x));
  const SymbolicTensor mean = GlobalAveragePooling2D({.keepdims = true})(x);
  SymbolicTensor y = Concatenate(1)({Flatten()(x), Flatten()(mean)});
  const Dense twice(3, {.use_bias = false, .dtype = "mixed_bfloat16"});
  y = Dense(3, {.kernel_regularizer = std::make_shared<L2>(0.5)})(y);
  y = lockstep::Add()({twice(y), twice(ReLU()(y))});
  const Model model({image}, {y, mean}, "all");

  const TestFolder folder;
  SaveKerasModel(folder / "all.keras", model);
  const Layer loaded = LoadKerasModel(folder / "all.keras").model;
  EXPECT_EQ(loaded.impl().Config().config, model.impl().Config().config);
  EXPECT_EQ(Values(loaded.variables()), Values(model.variables()));
}

TEST(LayerRegistryTest, UnsupportedSettings) {
  const auto make = [](const char* text) {
    const Json object = Json::parse(text);
    ConfigReader config("ReLU", object);
    KerasLayers().Make(config);
  };
  make(R"({"name": "r", "max_value": null, "threshold": 0.0})");
  ExpectError([&] { make(R"({"name": "r", "max_value": 6.0})"); },
              Code::kUnimplemented, "ReLU 'r': max_value 6.0");
  ExpectError([&] { make(R"({"max_value": 6.0})"); }, Code::kInvalidArgument,
              "no name");
  ExpectError([&] { make(R"({"name": "r", "dtype": 3})"); },
              Code::kInvalidArgument, "dtype must be a policy, got 3");
}

// Keras adapted the layer to the rows [2, 0] and [6, 4]: mean [4, 2], variance
// [4, 4].
TEST(LayerRegistryTest, KerasPreprocessingPredictsTheSame) {
  const Layer model =
      LoadKerasModel(kTestdata + "preprocessing/model.keras").model;
  const Tensor x = Tensor::FromVector<float>({4, 2, 0, 1}, Shape{2, 2});
  const std::vector<float> expected = {1, 1, -1.5, -1.5};
  EXPECT_EQ(model(x).ToVector<float>(), expected);
  const TestFolder own;
  SaveKerasModel(own / "again.keras", model);
  EXPECT_EQ(LoadKerasModel(own / "again.keras").model(x).ToVector<float>(),
            expected);
}

TEST(LayerRegistryTest, KerasAttentionPredictsTheSame) {
  const std::string folder = kTestdata + "attention/";
  const Model model(LoadKerasModel(folder + "model.keras").model.shared_impl());
  const Tensor tokens =
      Tensor::FromVector<int32_t>({1, 2, 3, 0, 4, 4}, Shape{2, 3});
  const Json expected = ReadJsonFile(folder + "expected.json");
  const auto wanted = expected["predictions"].get<std::vector<float>>();
  const Tensor predicted = model.Predict(tokens);
  const std::vector<float> got = predicted.ToVector<float>();
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], wanted[i], 1e-6) << i;
  }
  // The call has two arguments, not a list.
  const TestFolder own;
  SaveKerasModel(own / "again.keras", model);
  const Model again(LoadKerasModel(own / "again.keras").model.shared_impl());
  const Json config = again.impl().Config().config;
  EXPECT_EQ(config["layers"][2]["class_name"], "MultiHeadAttention");
  EXPECT_EQ(config["layers"][2]["inbound_nodes"][0]["args"].size(), 2u);
  EXPECT_TRUE(BitwiseEqual(again.Predict(tokens), predicted));
}

// A custom layer.

class DoublingImpl : public TensorLayerImpl {
 public:
  explicit DoublingImpl(const std::string& name) : TensorLayerImpl(name) {}
  Shape ComputeOutputShape(const Shape& shape) const override { return shape; }
  LayerConfig Config() const override { return StartConfig("Doubling", *this); }

 protected:
  Tensor Call(const Tensor& x, bool) override { return x; }
};

TEST(LayerRegistryTest, CustomClassUsesItsMaker) {
  const TestFolder folder;
  const Model model =
      Sequential({Input({2}), MakeLayer<DoublingImpl>("twice")}, "own");
  SaveKerasModel(folder / "own.keras", model);
  ExpectError([&] { LoadKerasModel(folder / "own.keras"); },
              Code::kUnimplemented, "'twice' is of the class Doubling");
  LayerRegistry layers = KerasLayers();
  layers.Add("Doubling", [](ConfigReader& config) {
    return MakeLayer<DoublingImpl>(config.name());
  });
  const Layer loaded = LoadKerasModel(folder / "own.keras", layers).model;
  EXPECT_EQ(loaded.impl().layers()[1].name(), "twice");
}

}  // namespace
}  // namespace lockstep
