#include "reference/losses/compute_average_loss.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/device/fake_gpu.h"
#include "reference/losses/context_testing.h"

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

TEST(ComputeAverageLossTest, LossesOfTheHostAreAveragedThere) {
  FakeGpu gpu;
  const DeviceScope on_gpu(gpu.device());
  EXPECT_EQ(Average(kLosses, {.global_batch_size = 8}), 1.5);
}

TEST(ComputeAverageLossTest, ByItselfTheBatchTimesTheReplicas) {
  EXPECT_EQ(Average(kLosses), 3);
  for (const auto& [replicas, expected] :
       std::vector<std::pair<int, float>>{{1, 3}, {2, 1.5}, {4, 0.75}}) {
    const FakeContext context(replicas);
    EXPECT_EQ(Average(kLosses), expected);
  }
  // A short last batch weighs too much then: 5 / (1 * 2), not 5 / 4.
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

TEST(ComputeAverageLossTest, TakesWeightsOfEveryDocumentedShape) {
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

TEST(ComputeAverageLossTest, WeightsThatDoNotFitAreInvalid) {
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

TEST(ComputeAverageLossTest, GlobalBatchSizesBelowOneAreInvalid) {
  for (const int64_t size : {0, -1}) {
    EXPECT_EQ(CodeOf([&] {
                ComputeAverageLoss(kLosses, {.global_batch_size = size});
              }),
              Code::kInvalidArgument);
  }
}

TEST(ComputeAverageLossTest, AScalarLossIsInvalid) {
  EXPECT_EQ(CodeOf([] { ComputeAverageLoss(Tensor::Scalar(1.0f)); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { ComputeAverageLoss(Tensor()); }),
            Code::kInvalidArgument);
}

TEST(ComputeAverageLossTest, KeepsFloatingTypesAndWidensIntegers) {
  const AverageLossOptions options{.global_batch_size = 8};
  EXPECT_EQ(ComputeAverageLoss(kLosses, options).dtype(), DType::kFloat32);
  const Tensor doubles = kLosses.Cast(DType::kFloat64);
  EXPECT_EQ(ComputeAverageLoss(doubles, options).item<double>(), 1.5);
  const Tensor integers = Tensor::FromVector<int64_t>({1, 2, 3, 6});
  EXPECT_EQ(ComputeAverageLoss(integers, options).item<double>(), 1.5);
}

TEST(ComputeAverageLossTest, InCrossReplicaContextTheSizeMustBeGiven) {
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

}  // namespace
}  // namespace lockstep
