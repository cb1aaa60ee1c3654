#include "reference/losses/scale_regularization_loss.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/device/fake_gpu.h"
#include "reference/losses/context_testing.h"

namespace lockstep {
namespace {

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

TEST(ScaleRegularizationLossTest, LossesOfTheHostAreScaledThere) {
  const Tensor losses = Tensor::FromVector<float>({1, 2, 3});
  FakeGpu gpu;
  const DeviceScope on_gpu(gpu.device());
  const FakeContext context(2);
  EXPECT_EQ(ScaleRegularizationLoss(losses).item<float>(), 3);
}

TEST(ScaleRegularizationLossTest, InCrossReplicaContextItFails) {
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
