#include "reference/kernels/sgd_update.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

// A variable of 1 under a constant gradient of 3, learning rate 0.1.
std::vector<float> Run(const SgdOptions& options) {
  Tensor value = Tensor::Scalar(1.0f);
  const Tensor gradient = Tensor::Scalar(3.0f);
  Tensor velocity = Tensor::Scalar(0.0f);
  const SgdItem item{&value, &gradient,
                     options.momentum == 0 ? nullptr : &velocity};
  std::vector<float> values;
  for (int step = 0; step < 3; ++step) {
    SgdUpdate({&item, 1}, options);
    values.push_back(value.item<float>());
  }
  return values;
}

void ExpectValues(const SgdOptions& options, const std::vector<float>& wanted) {
  const std::vector<float> got = Run(options);
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(got[i], wanted[i], 2e-7) << "step " << i;
  }
}

// What Keras 3.15.1 computes.
TEST(SgdUpdateTest, FollowsKeras) {
  ExpectValues({0.1, 0, false}, {0.7f, 0.4f, 0.1f});
  ExpectValues({0.1, 0.9, false}, {0.7f, 0.13f, -0.683f});
  ExpectValues({0.1, 0.9, true}, {0.43f, -0.383f, -1.4147f});
}

TEST(SgdUpdateTest, ExactOnSmallIntegersOnEveryTeamAndInstructionSet) {
  const auto check = []<typename T>(T) {
    const DType dtype = kDTypeOf<T>;
    const Tensor start = SmallIntegers(Shape{20003}, 1).Cast(dtype);
    const Tensor gradient = SmallIntegers(start.shape(), 2).Cast(dtype);
    for (const bool nesterov : {false, true}) {
      Tensor value = start.Clone();
      Tensor velocity = start.Clone();
      const SgdItem item{&value, &gradient, &velocity};
      SgdUpdate({&item, 1}, {2, 0.5, nesterov});
      for (int64_t i = 0; i < start.num_elements(); ++i) {
        const double step = 2.0 * gradient.template at<T>(i);
        const double v = 0.5 * start.template at<T>(i) - step;
        ASSERT_EQ(velocity.template at<T>(i), v);
        ASSERT_EQ(value.template at<T>(i),
                  start.template at<T>(i) + (nesterov ? 0.5 * v - step : v));
      }
    }
    Tensor value = start.Clone();
    const SgdItem item{&value, &gradient, nullptr};
    SgdUpdate({&item, 1}, {2, 0, false});
    for (int64_t i = 0; i < start.num_elements(); ++i) {
      ASSERT_EQ(value.template at<T>(i),
                start.template at<T>(i) - 2 * gradient.template at<T>(i));
    }
  };
  const auto both = [&] {
    check(float{});
    check(double{});
  };
  ForEachTeam(both);
  ForEachInstructionSet(both);
}

TEST(SgdUpdateTest, RefusesWhatDoesNotFit) {
  Tensor value = Tensor::Zeros(Shape{2});
  const Tensor gradient = Tensor::Zeros(Shape{2});
  const SgdItem item{&value, &gradient, nullptr};
  ExpectInvalid(
      [&] {
        SgdUpdate({&item, 1}, {0.1, 0.9, false});
      },
      "momentum wants a velocity for float32 (2,)");
  const Tensor other = Tensor::Zeros(Shape{3});
  const SgdItem wrong{&value, &other, nullptr};
  ExpectInvalid([&] { SgdUpdate({&wrong, 1}, {}); }, "agree");
}

}  // namespace
}  // namespace lockstep::kernels
