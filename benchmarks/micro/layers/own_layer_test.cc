// The host's kernels answer here; a GPU's are put to the same calls.
#include "benchmarks/micro/layers/own_layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lockstep::benchmarks {
namespace {

using Floats = std::vector<float>;

LayerWork Work(LayerKind kind, LayerPass pass, const Shape& x) {
  return {.kind = kind, .pass = pass, .x = x};
}

Tensor Image(const Floats& values, const Shape& shape) {
  return Tensor::FromVector(values, shape);
}

TEST(OwnLayerTest, AMaxPoolGivesMaximaAndSendsGradientsBackToThem) {
  LayerInputs inputs;
  inputs.x = Image({1, 4, 3, 2}, Shape{1, 2, 2, 1});
  inputs.dy = Image({5}, Shape{1, 1, 1, 1});
  const auto forward =
      OwnLayer(Work(LayerKind::kMaxPool, LayerPass::kForward, inputs.x.shape()),
               inputs)();
  ASSERT_EQ(forward.size(), 1u);
  EXPECT_EQ(forward[0].ToVector<float>(), Floats{4});
  const auto backward = OwnLayer(
      Work(LayerKind::kMaxPool, LayerPass::kBackward, inputs.x.shape()),
      inputs)();
  EXPECT_EQ(backward[0].ToVector<float>(), (Floats{0, 5, 0, 0}));
}

TEST(OwnLayerTest, AnAvgPoolGivesMeansAndSharesGradients) {
  LayerInputs inputs;
  inputs.x = Image({1, 4, 3, 4}, Shape{1, 2, 2, 1});
  inputs.dy = Image({8}, Shape{1, 1, 1, 1});
  const Shape& x = inputs.x.shape();
  EXPECT_EQ(
      OwnLayer(Work(LayerKind::kAvgPool, LayerPass::kForward, x), inputs)()[0]
          .ToVector<float>(),
      Floats{3});
  EXPECT_EQ(
      OwnLayer(Work(LayerKind::kAvgPool, LayerPass::kBackward, x), inputs)()[0]
          .ToVector<float>(),
      (Floats{2, 2, 2, 2}));
}

TEST(OwnLayerTest, ASoftmaxIsOfRows) {
  LayerInputs inputs;
  inputs.x = Image({0, 0, 1, 1}, Shape{2, 2});
  inputs.dy = Image({4, 0, 0, 0}, Shape{2, 2});
  const Shape& x = inputs.x.shape();
  EXPECT_EQ(
      OwnLayer(Work(LayerKind::kSoftmax, LayerPass::kForward, x), inputs)()[0]
          .ToVector<float>(),
      (Floats{0.5, 0.5, 0.5, 0.5}));
  // y * (dy - sum(dy * y)): 0.5 * (4 - 2), 0.5 * (0 - 2).
  EXPECT_EQ(
      OwnLayer(Work(LayerKind::kSoftmax, LayerPass::kBackward, x), inputs)()[0]
          .ToVector<float>(),
      (Floats{1, -1, 0, 0}));
}

class OwnBatchNormTest : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    inputs_.x = Image({-1, 1}, Shape{2, 1, 1, 1}).Cast(GetParam());
    inputs_.dy = Image({2, 3}, Shape{2, 1, 1, 1}).Cast(GetParam());
    inputs_.gamma = Image({4}, Shape{1});
    inputs_.beta = Image({5}, Shape{1});
  }
  std::vector<Tensor> Results(LayerPass pass) {
    LayerWork work = Work(LayerKind::kBatchNorm, pass, inputs_.x.shape());
    work.dtype = GetParam();
    return OwnLayer(work, inputs_)();
  }
  // Variance 1: what epsilon does to it is below bfloat16's digits.
  const double inverse_ = 1 / std::sqrt(1 + kBatchNormEpsilon);
  LayerInputs inputs_;
};

TEST_P(OwnBatchNormTest, NormalizesByTheMomentsOfTheBatch) {
  const auto results = Results(LayerPass::kForward);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].dtype(), GetParam());
  const auto y = results[0].Cast(DType::kFloat32).ToVector<float>();
  EXPECT_NEAR(y[0], 5 - 4 * inverse_, 1e-4);
  EXPECT_NEAR(y[1], 5 + 4 * inverse_, 1e-4);
  EXPECT_EQ(results[1].ToVector<float>(), Floats{0});
}

TEST_P(OwnBatchNormTest, GivesTheGradientsOfItsThreeInputs) {
  const auto results = Results(LayerPass::kBackward);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].dtype(), GetParam());
  EXPECT_NEAR(results[1].at<float>(0), (3 - 2) * inverse_, 1e-6);
  EXPECT_EQ(results[2].at<float>(0), 5);
  // dy less its mean and its part along x: -0.5 + 0.5, but for epsilon.
  const auto dx = results[0].Cast(DType::kFloat32).ToVector<float>();
  EXPECT_NEAR(dx[0], 0, 1e-4);
  EXPECT_NEAR(dx[1], 0, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Types, OwnBatchNormTest,
                         testing::Values(DType::kFloat32, DType::kBFloat16),
                         [](const auto& type) {
                           return std::string(DTypeName(type.param));
                         });

}  // namespace
}  // namespace lockstep::benchmarks
