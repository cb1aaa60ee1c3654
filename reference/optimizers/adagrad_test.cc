#include "reference/optimizers/adagrad.h"

#include <gtest/gtest.h>

#include <vector>

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

// Figures: TensorFlow 2.21 with Keras 3.15.1, recorded with six decimals.
TEST(AdagradTest, FollowsKeras) {
  Adagrad optimizer({.learning_rate = 0.1});
  const std::vector<float> values = Train(optimizer, {3, 3});
  EXPECT_NEAR(values[0], 0.900551, 1e-6);
  EXPECT_NEAR(values[1], 0.830036, 1e-6);
}

}  // namespace
}  // namespace lockstep
