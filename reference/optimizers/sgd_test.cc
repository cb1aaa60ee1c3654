#include "reference/optimizers/sgd.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep {
namespace {

// Values of one float variable, 1 at first, after each gradient.
std::vector<float> Train(Optimizer& optimizer,
                         const std::vector<float>& gradients) {
  VariablePtr v =
      MakeVariable({.initial_value = [] { return Tensor::Scalar(1.0f); }});
  std::vector<float> values;
  for (float gradient : gradients) {
    optimizer.ApplyGradients({{Tensor::Scalar(gradient), v}});
    values.push_back(v->Read().item<float>());
  }
  return values;
}

void ExpectNear(const std::vector<float>& got,
                const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  // The figures are recorded with seven decimals.
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 2e-7);
}

// Figures: TensorFlow 2.21 with Keras 3.15.1 and tf_keras 2.21.
TEST(SgdTest, PlainStep) {
  Sgd optimizer({.learning_rate = 0.1});
  ExpectNear(Train(optimizer, {3}), {0.7});
}

TEST(SgdTest, Momentum) {
  Sgd optimizer({.learning_rate = 0.1, .momentum = 0.9});
  ExpectNear(Train(optimizer, {3, 3, 3}), {0.7, 0.13, -0.683});
}

TEST(SgdTest, Nesterov) {
  Sgd optimizer({.learning_rate = 0.1, .momentum = 0.9, .nesterov = true});
  ExpectNear(Train(optimizer, {3, 3, 3}), {0.43, -0.383, -1.4147});
}

TEST(SgdTest, RefusesMomentumOutsideItsRange) {
  EXPECT_THROW(Sgd({.momentum = -0.1}), Error);
  EXPECT_THROW(Sgd({.momentum = 1.1}), Error);
}

}  // namespace
}  // namespace lockstep
