#include "reference/optimizers/adam.h"

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
TEST(AdamTest, FollowsKeras) {
  Adam optimizer({.learning_rate = 0.1});
  ExpectNear(Train(optimizer, {0.75, 0.75, 0.75}),
             {0.9000011, 0.8000024, 0.7000030});
}

TEST(AdamTest, MovesAgainstTheSignOfTheGradient) {
  Adam optimizer({.learning_rate = 0.1});
  ExpectNear(Train(optimizer, {-2, -2, -2}), {1.0999992, 1.1999980, 1.2999976});
}

}  // namespace
}  // namespace lockstep
