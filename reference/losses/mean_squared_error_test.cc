#include "reference/losses/mean_squared_error.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/losses/context_testing.h"

namespace lockstep::losses {
namespace {

using Floats = std::vector<float>;

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

TEST(MeanSquaredErrorTest, OneTrailingAxisMayBeMissing) {
  const MeanSquaredError loss;
  EXPECT_EQ(loss(Tensor::FromVector<float>({0, 0}), kPrediction).item<float>(),
            2.5);
  EXPECT_EQ(loss(kTruth, Tensor::FromVector<float>({1, 2})).item<float>(), 2.5);
  EXPECT_EQ(loss(Tensor::FromVector<int64_t>({0, 0}, Shape{2, 1}), kPrediction)
                .item<float>(),
            2.5);
}

TEST(MeanSquaredErrorTest, EmptyBatchesAreZeroAndNeverNaN) {
  for (const Shape& shape : {Shape{0, 1}, Shape{0}}) {
    const Tensor none = Tensor::Zeros(shape);
    EXPECT_EQ(MeanSquaredError()(none, none).item<float>(), 0);
  }
}

TEST(MeanSquaredErrorTest, OtherShapesAreInvalid) {
  EXPECT_EQ(CodeOf([] {
              MeanSquaredError()(Tensor::Zeros(Shape{3, 1}), kPrediction);
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] {
              MeanSquaredError()(Tensor::Scalar(1.0f), Tensor::Scalar(1.0f));
            }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::losses
