#include "reference/kernels/clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/base/error.h"

namespace lockstep::kernels {
namespace {

TEST(ClipTest, HoldsNumbersBetweenTheBounds) {
  const Tensor x = Tensor::FromVector<float>({-1, 0, 0.5, 1, 2});
  EXPECT_EQ(Clip(x, 0, 1).ToVector<float>(),
            (std::vector<float>{0, 0, 0.5, 1, 1}));
  EXPECT_EQ(Clip(x.Cast(DType::kFloat64), -0.5, 0.25).ToVector<double>(),
            (std::vector<double>{-0.5, 0, 0.25, 0.25, 0.25}));
  EXPECT_EQ(Clip(Tensor::Zeros(Shape{0}), 0, 1).num_elements(), 0);
}

TEST(ClipTest, NaNStaysAndInfinityIsClipped) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor x = Tensor::FromVector<float>({NAN, infinity, -infinity});
  const Tensor y = Clip(x, -2, 3);
  EXPECT_TRUE(std::isnan(y.at<float>(0)));
  EXPECT_EQ(y.at<float>(1), 3);
  EXPECT_EQ(y.at<float>(2), -2);
}

TEST(ClipTest, BackwardPassesWhatWasInsideOrOnTheBounds) {
  const Tensor x = Tensor::FromVector<float>({-1, 0, 0.5, 1, 2});
  const Tensor dy = Tensor::FromVector<float>({5, 6, 7, 8, 9});
  EXPECT_EQ(ClipBackward(x, dy, 0, 1).ToVector<float>(),
            (std::vector<float>{0, 6, 7, 8, 0}));
}

TEST(ClipTest, WrongArgumentsAreInvalid) {
  const Tensor x = Tensor::FromVector<float>({1});
  EXPECT_THROW(Clip(x, 1, 0), Error);
  EXPECT_THROW(Clip(x, NAN, 1), Error);
  EXPECT_THROW(Clip(Tensor::FromVector<int32_t>({1}), 0, 1), Error);
  EXPECT_THROW(ClipBackward(x, Tensor::Zeros(Shape{2}), 0, 1), Error);
}

}  // namespace
}  // namespace lockstep::kernels
