#include "reference/kernels/adam_update.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/device/fake_gpu.h"
#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

struct Variable {
  explicit Variable(Tensor initial, Tensor constant_gradient)
      : value(initial.Clone()),
        gradient(constant_gradient),
        momentum(Tensor::Zeros(value.shape(), value.dtype())),
        velocity(Tensor::Zeros(value.shape(), value.dtype())) {}
  AdamItem Item() { return {&value, &gradient, &momentum, &velocity}; }

  Tensor value, gradient, momentum, velocity;
};

// What Keras 3.15.1 computes for learning rate 0.1 and a constant gradient.
TEST(AdamUpdateTest, FollowsKeras) {
  const std::vector<std::pair<float, std::vector<float>>> runs{
      {0.75f, {0.9000011f, 0.8000024f, 0.7000030f}},
      {-2.0f, {1.0999992f, 1.1999980f, 1.2999976f}}};
  for (const auto& [gradient, values] : runs) {
    Variable v(Tensor::Scalar(1.0f), Tensor::Scalar(gradient));
    for (int step = 1; step <= 3; ++step) {
      const AdamItem item = v.Item();
      AdamUpdate({&item, 1}, {.learning_rate = 0.1}, step);
      EXPECT_NEAR(v.value.item<float>(), values[step - 1], 6e-8);
    }
  }
}

// The formula in double, one element at a time.
TEST(AdamUpdateTest, EqualsTheFormulaOnEveryTeamAndInstructionSet) {
  const auto check = [] {
    const Tensor start = Fractions(Shape{37, 501}, 1).Cast(DType::kFloat64);
    const Tensor gradient = Fractions(start.shape(), 2).Cast(DType::kFloat64);
    Variable large(start, gradient);
    Variable small(start.Row(3), gradient.Row(3));
    Variable empty(start.Slice(0, 0), gradient.Slice(0, 0));
    const std::vector<AdamItem> items{large.Item(), empty.Item(), small.Item()};
    const AdamOptions options{0.01, 0.8, 0.95, 1e-3};
    AdamUpdate(items, options, 1);
    AdamUpdate(items, options, 2);
    for (int64_t i = 0; i < start.num_elements(); ++i) {
      double w = start.at<double>(i), m = 0, v = 0;
      const double g = gradient.at<double>(i);
      for (int step = 1; step <= 2; ++step) {
        m += (g - m) * (1 - 0.8);
        v += (g * g - v) * (1 - 0.95);
        const double alpha = 0.01 * std::sqrt(1 - std::pow(0.95, step)) /
                             (1 - std::pow(0.8, step));
        w -= m * alpha / (std::sqrt(v) + 1e-3);
      }
      ASSERT_NEAR(large.value.at<double>(i), w, 1e-15);
    }
    EXPECT_TRUE(BitwiseEqual(large.value.Row(3), small.value));
    EXPECT_TRUE(BitwiseEqual(large.velocity.Row(3), small.velocity));
  };
  ForEachTeam(check);
  ForEachInstructionSet(check);
}

TEST(AdamUpdateTest, TeamChangesNoBit) {
  const Tensor start = Fractions(Shape{50001}, 1);
  const Tensor gradient = Fractions(start.shape(), 2);
  const auto run = [&] {
    Variable v(start, gradient);
    const AdamItem item = v.Item();
    for (int step = 1; step <= 3; ++step) AdamUpdate({&item, 1}, {}, step);
    return v.value;
  };
  const Tensor alone = run();
  ForEachTeam([&] { EXPECT_TRUE(BitwiseEqual(run(), alone)); });
}

TEST(AdamUpdateTest, RefusesWhatDoesNotFitAndWritesNothing) {
  Variable good(Tensor::Scalar(1.0f), Tensor::Scalar(1.0f));
  Variable bad(Tensor::Zeros(Shape{2}), Tensor::Zeros(Shape{3}));
  const std::vector<AdamItem> items{good.Item(), bad.Item()};
  ExpectInvalid([&] { AdamUpdate(items, {}, 1); },
                "got float32 (2,) and float32 (3,)");
  Variable other(Tensor::Scalar(1.0), Tensor::Scalar(1.0));
  const std::vector<AdamItem> mixed{good.Item(), other.Item()};
  ExpectInvalid([&] { AdamUpdate(mixed, {}, 1); }, "must be float32");
  ExpectInvalid([&] { AdamUpdate(items, {}, 0); }, "counts from 1");
  EXPECT_EQ(good.value.item<float>(), 1);
  AdamUpdate({}, {}, 1);  // nothing to do
}

TEST(AdamUpdateTest, OnAGpuTheStepsNumbersLieThereToo) {
  FakeGpu gpu;
  Variable v(Tensor::Scalar(1.0f), Tensor::Scalar(1.0f));
  for (Tensor* tensor : {&v.value, &v.gradient, &v.momentum, &v.velocity}) {
    *tensor = tensor->To(gpu.device());
  }
  const AdamItem item = v.Item();
  ExpectInvalid(
      [&] {
        AdamUpdate({&item, 1}, {}, 1);
      },
      "want their step's numbers there");
  const GpuStep elsewhere{.learning_rate = Tensor::Scalar(0.5),
                          .iterations = Tensor::Scalar<int64_t>(0)};
  ExpectInvalid(
      [&] {
        AdamUpdate({&item, 1}, {}, elsewhere);
      },
      "must be on one device");
}

}  // namespace
}  // namespace lockstep::kernels
