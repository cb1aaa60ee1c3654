#include "reference/optimizers/clip_gradients.h"

#include <gtest/gtest.h>

#include <limits>

#include "reference/base/error.h"
#include "reference/device/fake_gpu.h"

namespace lockstep {
namespace {

std::vector<Tensor> Gradients() {
  return {Tensor::FromVector<float>({3, 4}), Tensor::FromVector<float>({12})};
}

TEST(ClipGradientsTest, ByNormShortensEachOnItsOwn) {
  std::vector<Tensor> gradients = Gradients();
  ClipByNorm(gradients, 6);
  EXPECT_EQ(gradients[0].ToVector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ(gradients[1].ToVector<float>(), (std::vector<float>{6}));
}

TEST(ClipGradientsTest, ByGlobalNormShortensAllTogether) {
  std::vector<Tensor> gradients = Gradients();  // together 13 long
  ClipByGlobalNorm(gradients, 6.5);
  EXPECT_EQ(gradients[0].ToVector<float>(), (std::vector<float>{1.5, 2}));
  EXPECT_EQ(gradients[1].ToVector<float>(), (std::vector<float>{6}));
  ClipByGlobalNorm(gradients, 6.5);  // short enough by now
  EXPECT_EQ(gradients[1].ToVector<float>(), (std::vector<float>{6}));
}

TEST(ClipGradientsTest, OnAGpuTheyStayThere) {
  FakeGpu gpu;
  std::vector<Tensor> gradients = {Gradients()[0].To(gpu.device())};
  ClipByNorm(gradients, 2.5);
  EXPECT_EQ(gradients[0].ToVector<float>(), (std::vector<float>{1.5, 2}));
  ClipByValue(gradients, 1.75);
  EXPECT_EQ(gradients[0].ToVector<float>(), (std::vector<float>{1.5, 1.75}));
  DecayWeights(gradients[0], 0.5);
  EXPECT_EQ(gradients[0].ToVector<float>(), (std::vector<float>{0.75, 0.875}));
  EXPECT_EQ(&gradients[0].device(), &gpu.device());
}

TEST(ClipGradientsTest, ByValueCutsElements) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Tensor> gradients = {Tensor::FromVector<float>({-3, 1, nan})};
  ClipByValue(gradients, 2);
  EXPECT_EQ(gradients[0].at<float>(0), -2);
  EXPECT_EQ(gradients[0].at<float>(1), 1);
  EXPECT_TRUE(std::isnan(gradients[0].at<float>(2)));
}

TEST(ClipGradientsTest, LeavesWhatItWasGivenUntouched) {
  const Tensor original = Tensor::FromVector<float>({3, 4});
  std::vector<Tensor> gradients = {original};
  ClipByNorm(gradients, 1);
  EXPECT_EQ(original.ToVector<float>(), (std::vector<float>{3, 4}));
}

TEST(ClipGradientsTest, DecayTakesAFractionAway) {
  Tensor variable = Tensor::FromVector<double>({2, -4});
  DecayWeights(variable, 0.25);
  EXPECT_EQ(variable.ToVector<double>(), (std::vector<double>{1.5, -3}));
}

TEST(ClipGradientsTest, RefusesIntegers) {
  std::vector<Tensor> gradients = {Tensor::FromVector<int32_t>({3})};
  EXPECT_THROW(ClipByValue(gradients, 1), Error);
}

}  // namespace
}  // namespace lockstep
