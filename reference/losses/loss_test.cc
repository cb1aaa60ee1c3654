#include "reference/losses/loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/device/fake_gpu.h"
#include "reference/losses/context_testing.h"
#include "reference/losses/regression_losses.h"

namespace lockstep::losses {
namespace {

using Floats = std::vector<float>;

// The predictions are the losses.
class Identity : public Loss {
 public:
  explicit Identity(Reduction reduction) : Loss("identity", reduction) {}

 protected:
  Tensor Call(const Tensor&, const Tensor& y_pred) const override {
    return y_pred;
  }
};

const Tensor kLosses = Tensor::FromVector<float>({1, 2, 3, 6});

TEST(LossTest, Reduces) {
  EXPECT_EQ(Identity(Reduction::kNone)(kLosses, kLosses).ToVector<float>(),
            (Floats{1, 2, 3, 6}));
  EXPECT_EQ(Identity(Reduction::kSum)(kLosses, kLosses).item<float>(), 12);
  EXPECT_EQ(
      Identity(Reduction::kSumOverBatchSize)(kLosses, kLosses).item<float>(),
      3);
  EXPECT_EQ(Identity(Reduction::kAuto)(kLosses, kLosses).item<float>(), 3);
}

TEST(LossTest, WeighsBeforeReduction) {
  const Tensor weights = Tensor::FromVector<float>({1, 0, 0, 2});
  EXPECT_EQ(Identity(Reduction::kSum)(kLosses, kLosses, weights).item<float>(),
            13);
  // Divided by the number of losses, not by the sum of the weights.
  EXPECT_EQ(Identity(Reduction::kAuto)(kLosses, kLosses, weights).item<float>(),
            3.25);
  EXPECT_EQ(
      Identity(Reduction::kNone)(kLosses, kLosses, weights).ToVector<float>(),
      (Floats{1, 0, 0, 12}));
  EXPECT_EQ(CodeOf([&] {
              Identity(Reduction::kSum)(kLosses, kLosses,
                                        Tensor::FromVector<float>({1, 2}));
            }),
            Code::kInvalidArgument);
}

TEST(LossTest, EmptyBatch) {
  const Tensor none = Tensor::Zeros(Shape{0});
  for (const Reduction reduction : {Reduction::kAuto, Reduction::kSum}) {
    EXPECT_EQ(Identity(reduction)(none, none).item<float>(), 0);
  }
  EXPECT_EQ(Identity(Reduction::kNone)(none, none).num_elements(), 0);
}

TEST(LossTest, StrategyAllowsSumAndNone) {
  for (const int replicas : {1, 2}) {
    for (const bool cross_replica : {false, true}) {
      const FakeContext context(replicas, cross_replica);
      EXPECT_EQ(Identity(Reduction::kSum)(kLosses, kLosses).item<float>(), 12);
      EXPECT_EQ(Identity(Reduction::kNone)(kLosses, kLosses).num_elements(), 4);
      for (const Reduction mean :
           {Reduction::kAuto, Reduction::kSumOverBatchSize}) {
        EXPECT_EQ(CodeOf([&] { Identity{mean}(kLosses, kLosses); }),
                  Code::kInvalidArgument);
        EXPECT_EQ(Identity(mean).PerExample(kLosses, kLosses).num_elements(),
                  4);
      }
    }
  }
}

TEST(LossTest, ErrorNamesAllowedReductions) {
  const FakeContext context(2);
  try {
    Identity{Reduction::kAuto}(kLosses, kLosses);
    FAIL() << "took a mean under a strategy";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("SUM or NONE"), std::string::npos) << message;
    EXPECT_NE(message.find("got AUTO"), std::string::npos) << message;
  }
}

const Tensor kTruth = Tensor::FromVector<float>({0, 0}, Shape{2, 1});
const Tensor kPrediction = Tensor::FromVector<float>({1, 2}, Shape{2, 1});

TEST(MeanSquaredErrorTest, IsTheMeanOverTheLastAxis) {
  EXPECT_EQ(
      MeanSquaredError({.reduction = Reduction::kNone})(kTruth, kPrediction)
          .ToVector<float>(),
      (Floats{1, 4}));
  EXPECT_EQ(MeanSquaredError()(kTruth, kPrediction).item<float>(), 2.5);
  const Tensor wide = Tensor::FromVector<float>({1, 3, 2, 4}, Shape{2, 2});
  EXPECT_EQ(MeanSquaredError({.reduction = Reduction::kNone})(
                Tensor::Zeros(Shape{2, 2}), wide)
                .ToVector<float>(),
            (Floats{5, 10}));
}

TEST(MeanSquaredErrorTest, HasAGradient) {
  GradientTape tape;
  tape.Watch(kPrediction);
  const Tensor loss =
      MeanSquaredError({.reduction = Reduction::kSum})(kTruth, kPrediction);
  EXPECT_EQ(tape.Gradient(loss, std::vector<Tensor>{kPrediction})[0]
                ->ToVector<float>(),
            (Floats{2, 4}));
}

TEST(MeanSquaredErrorTest, TrailingAxis) {
  const MeanSquaredError loss;
  EXPECT_EQ(loss(Tensor::FromVector<float>({0, 0}), kPrediction).item<float>(),
            2.5);
  // Each is one example, as in Keras 3.15.1.
  EXPECT_EQ(loss.PerExample(Tensor::FromVector<float>({0, 0}), kPrediction)
                .ToVector<float>(),
            (Floats{1, 4}));
  EXPECT_EQ(loss.PerExample(Tensor::Zeros(Shape{2, 3}),
                            Tensor::Full(Shape{2, 3, 1}, 2.0f))
                .ToVector<float>(),
            (Floats{4, 4}));
  EXPECT_EQ(loss(kTruth, Tensor::FromVector<float>({1, 2})).item<float>(), 2.5);
  EXPECT_EQ(loss(Tensor::FromVector<int64_t>({0, 0}, Shape{2, 1}), kPrediction)
                .item<float>(),
            2.5);
}

TEST(MeanSquaredErrorTest, EmptyBatch) {
  for (const Shape& shape : {Shape{0, 1}, Shape{0}}) {
    const Tensor none = Tensor::Zeros(shape);
    EXPECT_EQ(MeanSquaredError()(none, none).item<float>(), 0);
  }
}

TEST(MeanSquaredErrorTest, RefusesOtherShapes) {
  EXPECT_EQ(CodeOf([] {
              MeanSquaredError()(Tensor::Zeros(Shape{3, 1}), kPrediction);
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] {
              MeanSquaredError()(Tensor::Scalar(1.0f), Tensor::Scalar(1.0f));
            }),
            Code::kInvalidArgument);
}

TEST(MeanAbsoluteErrorTest, IsTheMeanOverTheLastAxis) {
  const Tensor truth = Tensor::Zeros(Shape{2, 2});
  const Tensor prediction =
      Tensor::FromVector<float>({1, -3, 2, 4}, Shape{2, 2});
  EXPECT_EQ(
      MeanAbsoluteError({.reduction = Reduction::kNone})(truth, prediction)
          .ToVector<float>(),
      (std::vector<float>{2, 3}));
  EXPECT_EQ(MeanAbsoluteError()(truth, prediction).item<float>(), 2.5);
  EXPECT_EQ(
      CodeOf([&] { MeanAbsoluteError()(truth, Tensor::Zeros(Shape{2})); }),
      Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::losses

namespace lockstep {
namespace {

const Tensor kLosses = Tensor::FromVector<float>({1, 2, 3, 6});
const Tensor kMatrix = Tensor::FromVector<float>({1, 2, 3, 6}, Shape{2, 2});

float Average(const Tensor& losses, const AverageLossOptions& options = {}) {
  return ComputeAverageLoss(losses, options).item<float>();
}

TEST(ComputeAverageLossTest, DividesTheSumByTheGlobalBatchSize) {
  EXPECT_EQ(Average(kLosses, {.global_batch_size = 8}), 1.5);
  EXPECT_EQ(Average(kMatrix, {.global_batch_size = 4}), 3);
}

TEST(ComputeAverageLossTest, StaysOnTheHost) {
  FakeGpu gpu;
  const DeviceScope on_gpu(gpu.device());
  EXPECT_EQ(Average(kLosses, {.global_batch_size = 8}), 1.5);
}

TEST(ComputeAverageLossTest, DefaultGlobalBatchSize) {
  EXPECT_EQ(Average(kLosses), 3);
  for (const auto& [replicas, expected] :
       std::vector<std::pair<int, float>>{{1, 3}, {2, 1.5}, {4, 0.75}}) {
    const FakeContext context(replicas);
    EXPECT_EQ(Average(kLosses), expected);
  }
  // A short last batch has too much weight then: 5 / (1 * 2), not 5 / 4.
  const FakeContext context(2);
  EXPECT_EQ(Average(Tensor::FromVector<float>({5})), 2.5);
}

TEST(ComputeAverageLossTest, ReplicasSumToTheGlobalMean) {
  const FakeContext context(2);
  const AverageLossOptions global{.global_batch_size = 4};
  EXPECT_EQ(Average(Tensor::FromVector<float>({1, 2}), global), 0.75);
  EXPECT_EQ(Average(Tensor::FromVector<float>({3, 4}), global), 1.75);
  EXPECT_EQ(Average(Tensor::FromVector<float>({5}), global), 1.25);
  EXPECT_EQ(Average(Tensor::Zeros(Shape{0}), global), 0);
}

float Weighted(const Tensor& losses, const std::vector<float>& weights,
               const Shape& shape, int64_t global_batch_size) {
  return Average(losses, {.sample_weight = Tensor::FromVector(weights, shape),
                          .global_batch_size = global_batch_size});
}

TEST(ComputeAverageLossTest, ShapesOfWeights) {
  EXPECT_EQ(Weighted(kLosses, {2}, Shape{}, 8), 3);
  EXPECT_EQ(Weighted(kLosses, {2}, Shape{1}, 8), 3);
  EXPECT_EQ(Weighted(kLosses, {1, 0, 0, 2}, Shape{4}, 4), 3.25);
  EXPECT_EQ(Weighted(kMatrix, {1, 2}, Shape{2}, 4), 5.25);
  EXPECT_EQ(Weighted(kMatrix, {1, 0, 0, 2}, Shape{2, 2}, 4), 3.25);
  const Tensor pair = Tensor::FromVector<float>({1, 3});
  EXPECT_EQ(Weighted(pair, {1, 2}, Shape{2, 1}, 4), 1.75);
}

TEST(ComputeAverageLossTest, WeighsTimeSteps) {
  const Tensor losses = Tensor::FromVector<float>({2, .5, 4, 1}, Shape{2, 2});
  EXPECT_FLOAT_EQ(Weighted(losses, {.3f, .7f, .2f, .8f}, Shape{2, 2}, 2),
                  1.275f);
}

TEST(ComputeAverageLossTest, RefusesOtherWeights) {
  for (const Shape& shape : {Shape{3}, Shape{4, 2}, Shape{2, 2}}) {
    EXPECT_EQ(CodeOf([&] {
                ComputeAverageLoss(kLosses,
                                   {.sample_weight = Tensor::Zeros(shape)});
              }),
              Code::kInvalidArgument);
  }
}

TEST(ComputeAverageLossTest, IsNeverNaN) {
  EXPECT_EQ(Weighted(kLosses, {0, 0, 0, 0}, Shape{4}, 4), 0);
  EXPECT_EQ(Average(Tensor::Zeros(Shape{0})), 0);
  EXPECT_EQ(Average(Tensor::Zeros(Shape{0, 3}), {.global_batch_size = 4}), 0);
}

TEST(ComputeAverageLossTest, RefusesGlobalBatchSizesBelowOne) {
  for (const int64_t size : {0, -1}) {
    EXPECT_EQ(CodeOf([&] {
                ComputeAverageLoss(kLosses, {.global_batch_size = size});
              }),
              Code::kInvalidArgument);
  }
}

TEST(ComputeAverageLossTest, RefusesScalars) {
  EXPECT_EQ(CodeOf([] { ComputeAverageLoss(Tensor::Scalar(1.0f)); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { ComputeAverageLoss(Tensor()); }),
            Code::kInvalidArgument);
}

TEST(ComputeAverageLossTest, Types) {
  const AverageLossOptions options{.global_batch_size = 8};
  EXPECT_EQ(ComputeAverageLoss(kLosses, options).dtype(), DType::kFloat32);
  const Tensor doubles = kLosses.Cast(DType::kFloat64);
  EXPECT_EQ(ComputeAverageLoss(doubles, options).item<double>(), 1.5);
  const Tensor integers = Tensor::FromVector<int64_t>({1, 2, 3, 6});
  EXPECT_EQ(ComputeAverageLoss(integers, options).item<double>(), 1.5);
}

TEST(ComputeAverageLossTest, CrossReplicaContextNeedsTheSize) {
  const FakeContext context(2, /*cross_replica=*/true);
  EXPECT_EQ(CodeOf([] { ComputeAverageLoss(kLosses); }),
            Code::kFailedPrecondition);
  EXPECT_EQ(Average(kLosses, {.global_batch_size = 8}), 1.5);
}

TEST(ComputeAverageLossTest, HasAGradient) {
  GradientTape tape;
  tape.Watch(kLosses);
  const Tensor average = ComputeAverageLoss(
      kLosses, {.sample_weight = Tensor::FromVector<float>({1, 2, 0, 4}),
                .global_batch_size = 8});
  EXPECT_EQ(tape.Gradient(average, std::vector<Tensor>{kLosses})[0]
                ->ToVector<float>(),
            (std::vector<float>{0.125, 0.25, 0, 0.5}));
}

TEST(ScaleRegularizationLossTest, DividesTheSumByTheReplicas) {
  const Tensor losses = Tensor::FromVector<float>({1, 2, 3});
  EXPECT_EQ(ScaleRegularizationLoss(losses).item<float>(), 6);
  {
    const FakeContext context(2);
    EXPECT_EQ(ScaleRegularizationLoss(losses).item<float>(), 3);
  }
  const FakeContext context(3);
  const std::vector<Tensor> list = {Tensor::Scalar(1.5f), Tensor::Scalar(3.0f)};
  EXPECT_EQ(ScaleRegularizationLoss(list).item<float>(), 1.5);
}

TEST(ScaleRegularizationLossTest, ScalarsIntegersAndNothing) {
  const FakeContext context(2);
  EXPECT_EQ(ScaleRegularizationLoss(Tensor::Scalar(3.0f)).item<float>(), 1.5);
  EXPECT_EQ(ScaleRegularizationLoss(Tensor::FromVector<int32_t>({1, 2}))
                .item<double>(),
            1.5);
  EXPECT_EQ(ScaleRegularizationLoss(std::vector<Tensor>{}).item<float>(), 0);
}

TEST(ScaleRegularizationLossTest, StaysOnTheHost) {
  const Tensor losses = Tensor::FromVector<float>({1, 2, 3});
  FakeGpu gpu;
  const DeviceScope on_gpu(gpu.device());
  const FakeContext context(2);
  EXPECT_EQ(ScaleRegularizationLoss(losses).item<float>(), 3);
}

TEST(ScaleRegularizationLossTest, RefusesCrossReplicaContext) {
  const FakeContext context(2, /*cross_replica=*/true);
  EXPECT_EQ(CodeOf([] { ScaleRegularizationLoss(Tensor::Scalar(1.0f)); }),
            Code::kFailedPrecondition);
}

TEST(ScaleRegularizationLossTest, HasAGradient) {
  const FakeContext context(2);
  const Tensor losses = Tensor::FromVector<float>({1, 2});
  GradientTape tape;
  tape.Watch(losses);
  EXPECT_EQ(tape.Gradient(ScaleRegularizationLoss(losses),
                          std::vector<Tensor>{losses})[0]
                ->ToVector<float>(),
            (std::vector<float>{0.5, 0.5}));
}

}  // namespace
}  // namespace lockstep
