#include "reference/kernels/optimizer/clip_gradients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/base/error.h"

namespace lockstep::kernels {
namespace {

std::vector<Tensor> Gradients() {
  return {Tensor::FromVector<float>({3, 4}), Tensor::FromVector<float>({12})};
}

TEST(ClipGradientsTest, ByNorm) {
  std::vector<Tensor> gradients = Gradients();
  ClipByNorm(gradients, 6);
  EXPECT_EQ(gradients[0].ToVector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ(gradients[1].ToVector<float>(), (std::vector<float>{6}));
}

TEST(ClipGradientsTest, ByGlobalNorm) {
  std::vector<Tensor> gradients = Gradients();  // together 13 long
  ClipByGlobalNorm(gradients, 6.5);
  EXPECT_EQ(gradients[0].ToVector<float>(), (std::vector<float>{1.5, 2}));
  EXPECT_EQ(gradients[1].ToVector<float>(), (std::vector<float>{6}));
  ClipByGlobalNorm(gradients, 6.5);  // short enough already
  EXPECT_EQ(gradients[1].ToVector<float>(), (std::vector<float>{6}));
}

TEST(ClipGradientsTest, ByValue) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Tensor> gradients = {Tensor::FromVector<float>({-3, 1, nan})};
  ClipByValue(gradients, 2);
  EXPECT_EQ(gradients[0].at<float>(0), -2);
  EXPECT_EQ(gradients[0].at<float>(1), 1);
  EXPECT_TRUE(std::isnan(gradients[0].at<float>(2)));
}

TEST(ClipGradientsTest, DoesNotWriteToItsInput) {
  const Tensor original = Tensor::FromVector<float>({3, 4});
  std::vector<Tensor> gradients = {original};
  ClipByNorm(gradients, 1);
  EXPECT_EQ(original.ToVector<float>(), (std::vector<float>{3, 4}));
}

TEST(ClipGradientsTest, RefusesIntegers) {
  std::vector<Tensor> gradients = {Tensor::FromVector<int32_t>({3})};
  EXPECT_THROW(ClipByValue(gradients, 1), Error);
}

}  // namespace
}  // namespace lockstep::kernels
