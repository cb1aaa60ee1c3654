// Expected values: Keras 3.15.1, unless a test says otherwise.
#include "reference/preprocessing/numeric/discretization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "reference/distribute/distribute_testing.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

const Tensor kExample = Matrix({-1.5, 1.0, 3.4, 0.5, 0.0, 3.0, 1.3, 0.0}, 2);

Discretization ThreeLimits(OutputMode mode = OutputMode::kInt) {
  return Discretization({.bin_boundaries = {{0, 1, 2}}, .output_mode = mode});
}

TEST(DiscretizationTest, NumberOfTheBin) {
  const Tensor bins = ThreeLimits()(kExample);
  EXPECT_EQ(bins.dtype(), DType::kInt32);
  EXPECT_EQ(ToString(bins), "[[0, 2, 3, 1], [1, 3, 2, 1]]");
}

TEST(DiscretizationTest, SpecialNumbersAndTypes) {
  const float infinity = HUGE_VALF;
  EXPECT_EQ(ToString(ThreeLimits()(Row({NAN, infinity, -infinity, 1}))),
            "[3, 3, 0, 2]");
  EXPECT_EQ(ToString(ThreeLimits()(Tensor::FromVector<int64_t>({-1, 0, 9}))),
            "[0, 1, 3]");
  EXPECT_EQ(ToString(Discretization({.bin_boundaries = std::vector<float>{}})(
                Row({1.5}))),
            "[0]");
}

TEST(DiscretizationTest, OutputModes) {
  const auto encoded = [](OutputMode mode, const Tensor& x) {
    const Discretization layer = ThreeLimits(mode);
    const Tensor y = layer(x);
    EXPECT_EQ(y.dtype(), DType::kFloat32);
    EXPECT_EQ(layer.ComputeOutputShape(x.shape()), y.shape());
    return ToString(y);
  };
  const Tensor column = Matrix({0.5, 1.5}, 2);
  EXPECT_EQ(encoded(OutputMode::kOneHot, column),
            "[[0, 1, 0, 0], [0, 0, 1, 0]]");
  EXPECT_EQ(encoded(OutputMode::kOneHot, Matrix({0.5, 1.5}, 1)),
            "[[[0, 1, 0, 0], [0, 0, 1, 0]]]");
  EXPECT_EQ(encoded(OutputMode::kMultiHot, kExample),
            "[[1, 1, 1, 1], [0, 1, 1, 1]]");
  EXPECT_EQ(encoded(OutputMode::kCount, kExample),
            "[[1, 1, 1, 1], [0, 2, 1, 1]]");
  EXPECT_EQ(encoded(OutputMode::kCount, Row({0, 3, 1.3, 0})), "[0, 2, 1, 1]");
}

TEST(DiscretizationTest, SamplesAreTheLastAxis) {
  // As Keras documents. It encodes axis 1 of three.
  const Tensor x = Tensor::FromVector<float>({0.5, 1.5, 2.5, -1}, {1, 2, 2});
  EXPECT_EQ(ToString(ThreeLimits(OutputMode::kMultiHot)(x)),
            "[[[0, 1, 1, 0], [1, 0, 0, 1]]]");
}

TEST(DiscretizationTest, AdaptsToATensor) {
  const Discretization layer({.num_bins = 4});
  layer.Adapt(kExample);
  EXPECT_EQ(layer.boundaries(),
            (std::vector<float>{0, 0.5, 1.2999999523162842f}));
  EXPECT_EQ(ToString(layer(kExample)), "[[0, 2, 3, 2], [1, 3, 3, 1]]");
  EXPECT_TRUE(layer.variables().empty());
}

TEST(DiscretizationTest, AdaptsToADataset) {
  std::vector<float> squares;
  for (int i = 0; i < 250; ++i) squares.push_back(static_cast<float>(i * i));
  const Tensor x = Tensor::FromVector(squares);
  const Dataset parts =
      Dataset::FromTensors(x.Slice(0, 100))
          .Concatenate(Dataset::FromTensors(x.Slice(100, 180)))
          .Concatenate(Dataset::FromTensors(x.Slice(180, 250)));
  const Discretization layer({.num_bins = 5, .epsilon = 0.1});
  layer.Adapt(parts);
  const std::vector<float> boundaries = {2480.99951171875f, 9880.9990234375f,
                                         22287.666015625f, 39606.99609375f};
  EXPECT_EQ(layer.boundaries(), boundaries);
  layer.Adapt(kExample);  // forgets the squares
  EXPECT_LT(layer.boundaries().back(), 4);
  QuantileSummary merged = layer.SummaryOf(x.Slice(0, 100));
  merged.Merge(layer.SummaryOf(x.Slice(100, 180)));
  merged.Merge(layer.SummaryOf(x.Slice(180, 250)));
  layer.Adopt(merged);
  EXPECT_EQ(layer.boundaries(), boundaries);
}

TEST(DiscretizationTest, OnReplicasAndInADataset) {
  const Discretization layer({.num_bins = 4});
  layer.Adapt(kExample);
  const auto strategy = MakeStrategy(2);
  const PerReplica<Tensor> bins =
      strategy->Run([&](const Tensor& x) { return layer(x); },
                    Tensors({kExample.Slice(0, 1), kExample.Slice(1, 2)}));
  EXPECT_EQ(ToString(bins[0]), "[[0, 2, 3, 2]]");
  EXPECT_EQ(ToString(bins[1]), "[[1, 3, 3, 1]]");
  EXPECT_EQ(CodeOf([&] { strategy->Run([&] { layer.Adapt(kExample); }); }),
            Code::kFailedPrecondition);
  const Dataset mapped = Dataset::FromTensorSlices(kExample).Map(
      [&](const Structure& x) { return layer(x); });
  EXPECT_EQ(ToString(mapped.MakeIterator().GetNext().leaf()), "[0, 2, 3, 2]");
}

TEST(DiscretizationTest, RefusesToWorkWithoutBoundaries) {
  const Discretization layer({.num_bins = 4});
  EXPECT_EQ(CodeOf([&] { layer(kExample); }), Code::kFailedPrecondition);
  EXPECT_EQ(CodeOf([&] { ThreeLimits().Adapt(kExample); }),
            Code::kFailedPrecondition);
  const Tensor none = Row({});
  EXPECT_EQ(CodeOf([&] { layer.Adapt(none); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { layer.Adapt(Dataset::FromTensorSlices(none)); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { layer.Adapt(Dataset::Random()); }),
            Code::kInvalidArgument);
}

TEST(DiscretizationTest, RefusesStrings) {
  const Tensor words = Tensor::FromVector<std::string>({"a"});
  EXPECT_EQ(CodeOf([&] { ThreeLimits()(words); }), Code::kInvalidArgument);
  const Discretization layer({.num_bins = 4});
  EXPECT_EQ(CodeOf([&] { layer.Adapt(words); }), Code::kInvalidArgument);
}

TEST(DiscretizationTest, RefusesWrongOptions) {
  const std::vector<DiscretizationOptions> wrong = {
      {},
      {.bin_boundaries = {{1}}, .num_bins = 2},
      {.bin_boundaries = {{2, 1}}},
      {.bin_boundaries = {{NAN}}},
      {.num_bins = 0},
      {.num_bins = 2, .epsilon = 0},
      {.num_bins = 2, .output_mode = OutputMode::kTfIdf}};
  for (const DiscretizationOptions& options : wrong) {
    EXPECT_EQ(CodeOf([&] { Discretization layer(options); }),
              Code::kInvalidArgument);
  }
}

TEST(DiscretizationTest, Config) {
  const LayerConfig config =
      Discretization({.bin_boundaries = {{0, 1, 2}}, .name = "d"})
          .impl()
          .Config();
  EXPECT_EQ(config.class_name, "Discretization");
  EXPECT_EQ(config.config, Json::parse(R"({
    "name": "d", "dtype": "float32", "bin_boundaries": [0.0, 1.0, 2.0],
    "num_bins": null, "epsilon": 0.01, "output_mode": "int",
    "sparse": false})"));
  const Discretization layer(
      {.num_bins = 4, .epsilon = 0.05, .output_mode = OutputMode::kCount});
  EXPECT_EQ(layer.impl().Config().config["bin_boundaries"], nullptr);
  EXPECT_EQ(layer.impl().Config().config["num_bins"], 4);
  EXPECT_EQ(layer.impl().Config().config["output_mode"], "count");
  layer.Adapt(kExample);
  EXPECT_EQ(layer.impl().Config().config["bin_boundaries"][1], 0.5);
}

}  // namespace
}  // namespace lockstep
