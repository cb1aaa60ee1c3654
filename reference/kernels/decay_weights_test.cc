#include "reference/kernels/decay_weights.h"

#include <gtest/gtest.h>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(DecayWeightsTest, TakesAShareAway) {
  Tensor variable = Tensor::FromVector<double>({2, -4});
  const void* memory = variable.raw_data();
  DecayWeights(variable, 0.25);
  EXPECT_EQ(variable.ToVector<double>(), (std::vector<double>{1.5, -3}));
  EXPECT_EQ(variable.raw_data(), memory);
}

TEST(DecayWeightsTest, AGpusStepIsForVariablesThere) {
  Tensor variable = Tensor::Scalar(1.0f);
  Tensor* const list[] = {&variable};
  const GpuStep step{.learning_rate = Tensor::Scalar(0.5),
                     .iterations = Tensor::Scalar<int64_t>(0)};
  ExpectInvalid([&] { DecayWeights(list, 0.5, step); },
                "wants variables on a GPU");
  const GpuStep narrow{.learning_rate = Tensor::Scalar(0.5f),
                       .iterations = Tensor::Scalar<int64_t>(0)};
  ExpectInvalid([&] { DecayWeights(list, 0.5, narrow); },
                "learning_rate must be float64");
}

}  // namespace
}  // namespace lockstep::kernels
