#include "reference/losses/mean_absolute_error.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/base/error_testing.h"
#include "reference/losses/context_testing.h"

namespace lockstep::losses {
namespace {

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
