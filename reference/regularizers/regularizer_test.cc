#include "reference/regularizers/regularizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"
#include "reference/regularizers/l1.h"
#include "reference/regularizers/l2.h"

namespace lockstep {
namespace {

const Tensor kWeight = Tensor::FromVector<float>({1, -2, 0}, Shape{3, 1});

std::vector<float> GradientOf(const Regularizer& regularizer) {
  GradientTape tape;
  tape.Watch(kWeight);
  return tape.Gradient(regularizer(kWeight), std::vector<Tensor>{kWeight})[0]
      ->ToVector<float>();
}

TEST(RegularizerTest, L1SumsMagnitudes) {
  EXPECT_EQ(L1(0.5)(kWeight).item<float>(), 1.5);
  EXPECT_EQ(GradientOf(L1(0.5)), (std::vector<float>{0.5, -0.5, 0}));
}

TEST(RegularizerTest, L2SumsSquares) {
  EXPECT_EQ(L2(0.5)(kWeight).item<float>(), 2.5);
  EXPECT_EQ(GradientOf(L2(0.5)), (std::vector<float>{1, -2, 0}));
}

TEST(RegularizerTest, TheFactorIsOneHundredthUnlessGiven) {
  EXPECT_FLOAT_EQ(L1()(kWeight).item<float>(), 0.03f);
  EXPECT_FLOAT_EQ(L2()(kWeight).item<float>(), 0.05f);
}

TEST(RegularizerTest, BadFactorsAreRefused) {
  for (const double factor : {-1.0, double{NAN}, double{INFINITY}}) {
    EXPECT_THROW(L1{factor}, Error);
    EXPECT_THROW(L2{factor}, Error);
  }
}

}  // namespace
}  // namespace lockstep
