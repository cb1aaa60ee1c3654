#include "reference/kernels/optimizer/optimizer_update.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/fake_gpu.h"
#include "reference/kernels/elementwise/unary.h"
#include "reference/kernels/optimizer/optimizer_math.h"
#include "reference/kernels/testing/kernel_cases.h"
#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

// Step `number`, which counts from 1, on the host.
StepScalars StepAt(double learning_rate, int64_t number = 1) {
  return {.learning_rate = Tensor::Scalar(learning_rate),
          .iterations = Tensor::Scalar(number - 1)};
}

// A variable of 1 under a constant gradient of 3, learning rate 0.1.
std::vector<float> Run(const SgdOptions& options) {
  Tensor value = Tensor::Scalar(1.0f);
  const Tensor gradient = Tensor::Scalar(3.0f);
  Tensor velocity = Tensor::Scalar(0.0f);
  const SgdItem item{&value, &gradient,
                     options.momentum == 0 ? nullptr : &velocity};
  std::vector<float> values;
  for (int step = 0; step < 3; ++step) {
    SgdUpdate({&item, 1}, options, StepAt(0.1));
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
TEST(SgdUpdateTest, EqualsKeras) {
  ExpectValues({0, false}, {0.7f, 0.4f, 0.1f});
  ExpectValues({0.9, false}, {0.7f, 0.13f, -0.683f});
  ExpectValues({0.9, true}, {0.43f, -0.383f, -1.4147f});
}

TEST(SgdUpdateTest, ExactOnSmallIntegers) {
  const auto check = []<typename T>(T) {
    const DType dtype = kDTypeOf<T>;
    const Tensor start = SmallIntegers(Shape{20003}, 1).Cast(dtype);
    const Tensor gradient = SmallIntegers(start.shape(), 2).Cast(dtype);
    for (const bool nesterov : {false, true}) {
      Tensor value = start.Clone();
      Tensor velocity = start.Clone();
      const SgdItem item{&value, &gradient, &velocity};
      SgdUpdate({&item, 1}, {0.5, nesterov}, StepAt(2));
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
    SgdUpdate({&item, 1}, {0, false}, StepAt(2));
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

TEST(SgdUpdateTest, RefusesWrongArguments) {
  Tensor value = Tensor::Zeros(Shape{2});
  const Tensor gradient = Tensor::Zeros(Shape{2});
  const SgdItem item{&value, &gradient, nullptr};
  ExpectInvalid(
      [&] {
        SgdUpdate({&item, 1}, {0.9, false}, StepAt(0.1));
      },
      "momentum needs a velocity for float32 (2,)");
  const Tensor other = Tensor::Zeros(Shape{3});
  const SgdItem wrong{&value, &other, nullptr};
  ExpectInvalid([&] { SgdUpdate({&wrong, 1}, {}, StepAt(0.1)); }, "agree");
}

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
TEST(AdamUpdateTest, EqualsKeras) {
  const std::vector<std::pair<float, std::vector<float>>> runs{
      {0.75f, {0.9000011f, 0.8000024f, 0.7000030f}},
      {-2.0f, {1.0999992f, 1.1999980f, 1.2999976f}}};
  for (const auto& [gradient, values] : runs) {
    Variable v(Tensor::Scalar(1.0f), Tensor::Scalar(gradient));
    for (int step = 1; step <= 3; ++step) {
      const AdamItem item = v.Item();
      AdamUpdate({&item, 1}, {}, StepAt(0.1, step));
      EXPECT_NEAR(v.value.item<float>(), values[step - 1], 6e-8);
    }
  }
}

// The formula in double, one element at a time.
TEST(AdamUpdateTest, EqualsTheFormula) {
  const auto check = [] {
    const Tensor start = Fractions(Shape{37, 501}, 1).Cast(DType::kFloat64);
    const Tensor gradient = Fractions(start.shape(), 2).Cast(DType::kFloat64);
    Variable large(start, gradient);
    Variable small(start.Row(3), gradient.Row(3));
    Variable empty(start.Slice(0, 0), gradient.Slice(0, 0));
    const std::vector<AdamItem> items{large.Item(), empty.Item(), small.Item()};
    const AdamOptions options{0.8, 0.95, 1e-3};
    AdamUpdate(items, options, StepAt(0.01, 1));
    AdamUpdate(items, options, StepAt(0.01, 2));
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

TEST(AdamUpdateTest, BitsDoNotDependOnTheTeam) {
  const Tensor start = Fractions(Shape{50001}, 1);
  const Tensor gradient = Fractions(start.shape(), 2);
  const auto run = [&] {
    Variable v(start, gradient);
    const AdamItem item = v.Item();
    for (int step = 1; step <= 3; ++step) {
      AdamUpdate({&item, 1}, {}, StepAt(0.001, step));
    }
    return v.value;
  };
  const Tensor alone = run();
  ForEachTeam([&] { EXPECT_TRUE(BitwiseEqual(run(), alone)); });
}

TEST(AdamUpdateTest, WritesNothingAfterAnError) {
  Variable good(Tensor::Scalar(1.0f), Tensor::Scalar(1.0f));
  Variable bad(Tensor::Zeros(Shape{2}), Tensor::Zeros(Shape{3}));
  const std::vector<AdamItem> items{good.Item(), bad.Item()};
  ExpectInvalid([&] { AdamUpdate(items, {}, StepAt(0.001)); },
                "got float32 (2,) and float32 (3,)");
  Variable other(Tensor::Scalar(1.0), Tensor::Scalar(1.0));
  const std::vector<AdamItem> mixed{good.Item(), other.Item()};
  ExpectInvalid([&] { AdamUpdate(mixed, {}, StepAt(0.001)); },
                "must be float32");
  ExpectInvalid(
      [&] {
        AdamUpdate({items.data(), 1}, {}, StepAt(0.001, 0));
      },
      "iterations count from 0, got -1");
  EXPECT_EQ(good.value.item<float>(), 1);
  AdamUpdate({}, {}, StepAt(0.001));  // nothing to do
}

TEST(AdamUpdateTest, ScalarsMustBeOnTheGpu) {
  FakeGpu gpu;
  Variable v(Tensor::Scalar(1.0f), Tensor::Scalar(1.0f));
  for (Tensor* tensor : {&v.value, &v.gradient, &v.momentum, &v.velocity}) {
    *tensor = tensor->To(gpu.device());
  }
  const AdamItem item = v.Item();
  ExpectInvalid(
      [&] {
        AdamUpdate({&item, 1}, {}, StepAt(0.5));
      },
      "must be on one device");
  const StepScalars half{.learning_rate = Tensor::Scalar(0.5, gpu.device()),
                         .iterations = Tensor::Scalar<int64_t>(0)};
  ExpectInvalid(
      [&] {
        AdamUpdate({&item, 1}, {}, half);
      },
      "must be on one device");
}

// A variable of 16 from which each step subtracts 4, and its average.
TEST(AverageWeightsTest, AveragesAndOverwrites) {
  Tensor variable = Tensor::Scalar(16.0), average = Tensor::Scalar(0.0);
  const AverageItem item{&variable, &average};
  std::vector<double> variables, averages;
  for (int64_t steps = 1; steps <= 4; ++steps) {
    *variable.mutable_data<double>() -= 4;
    AverageWeights({&item, 1}, {.momentum = 0.5, .overwrite_frequency = 2},
                   Tensor::Scalar(steps));
    variables.push_back(variable.item<double>());
    averages.push_back(average.item<double>());
  }
  EXPECT_EQ(variables, (std::vector<double>{12, 10, 6, 5}));
  EXPECT_EQ(averages, (std::vector<double>{12, 10, 8, 5}));
}

TEST(AverageWeightsTest, SkippedStepChangesNothing) {
  Tensor variable = Tensor::Scalar(16.0f), average = Tensor::Scalar(2.0f);
  const AverageItem item{&variable, &average};
  AverageWeights({&item, 1}, {.momentum = 0.5, .overwrite_frequency = 1},
                 Tensor::Scalar<int64_t>(3), Tensor::Scalar(false));
  EXPECT_EQ(variable.item<float>(), 16);
  EXPECT_EQ(average.item<float>(), 2);
}

TEST(AverageWeightsTest, RefusesWrongArguments) {
  Tensor variable = Tensor::Scalar(16.0f), other = Tensor::Scalar(2.0);
  const AverageItem item{&variable, &other};
  const Tensor steps = Tensor::Scalar<int64_t>(3);
  ExpectInvalid([&] { AverageWeights({&item, 1}, {}, steps); }, "float32");
  const AverageItem alike{&variable, &variable};
  ExpectInvalid(
      [&] {
        AverageWeights({&alike, 1}, {}, Tensor::Scalar(3.0f));
      },
      "steps must be int64");
  ExpectInvalid(
      [&] {
        AverageWeights({&alike, 1}, {}, steps, steps);
      },
      "taken must be bool");
}

TEST(DecayWeightsTest, SubtractsAShare) {
  Tensor variable = Tensor::FromVector<double>({2, -4});
  const void* memory = variable.raw_data();
  Tensor* const list[] = {&variable};
  DecayWeights(list, 0.5, StepAt(0.5));
  EXPECT_EQ(variable.ToVector<double>(), (std::vector<double>{1.5, -3}));
  EXPECT_EQ(variable.raw_data(), memory);
}

TEST(DecayWeightsTest, RefusesOtherTypes) {
  Tensor variable = Tensor::Scalar(1.0f);
  Tensor* const list[] = {&variable};
  const StepScalars narrow{.learning_rate = Tensor::Scalar(0.5f),
                           .iterations = Tensor::Scalar<int64_t>(0)};
  ExpectInvalid([&] { DecayWeights(list, 0.5, narrow); },
                "learning_rate must be float64");
  StepScalars numbered = StepAt(0.5);
  numbered.taken = Tensor::Scalar<int64_t>(1);
  ExpectInvalid([&] { DecayWeights(list, 0.5, numbered); },
                "taken must be bool");
}

}  // namespace

// Compares the formulas of GPU kernels with the host's optimizers: the bits are
// equal.

namespace {

const Shape kShape{4001};

// A variable, its gradient and two more tensors of its shape.
template <typename T>
Tensors Values() {
  return {Awkward<T>(kShape, 1), Awkward<T>(kShape, 2), Awkward<T>(kShape, 3),
          Abs(Awkward<T>(kShape, 4))};
}

template <typename T>
void ExpectAdam(int64_t step) {
  const Tensors before = Values<T>();
  Tensors host = Values<T>();
  const AdamItem item{&host[0], &host[1], &host[2], &host[3]};
  AdamUpdate({&item, 1}, {}, StepAt(0.001, step));
  Tensors formula = Values<T>();
  const auto constants =
      kernels_internal::MakeAdamConstants<T>(AdamOptions{}, 0.001, step);
  for (int64_t i = 0; i < kShape[0]; ++i) {
    kernels_internal::AdamStep(
        constants, before[1].at<T>(i), formula[0].mutable_data<T>()[i],
        formula[2].mutable_data<T>()[i], formula[3].mutable_data<T>()[i]);
  }
  EXPECT_EQ(Difference(formula, host, 0), "");
}

TEST(OptimizerMathTest, AdamEqualsTheHost) {
  for (const int64_t step : {1, 2, 1000}) {
    ExpectAdam<float>(step);
    ExpectAdam<double>(step);
  }
}

template <typename T>
void ExpectSgd(const SgdOptions& options) {
  const Tensors before = Values<T>();
  Tensors host = Values<T>();
  const SgdItem item{&host[0], &host[1], &host[2]};
  SgdUpdate({&item, 1}, options, StepAt(0.1));
  Tensors formula = Values<T>();
  const kernels_internal::SgdConstants<T> constants{
      static_cast<T>(0.1), static_cast<T>(options.momentum), options.nesterov};
  for (int64_t i = 0; i < kShape[0]; ++i) {
    T& variable = formula[0].mutable_data<T>()[i];
    if (options.momentum == 0) {
      kernels_internal::SgdStep(constants, before[1].at<T>(i), variable);
    } else {
      kernels_internal::MomentumStep(constants, before[1].at<T>(i), variable,
                                     formula[2].mutable_data<T>()[i]);
    }
  }
  EXPECT_EQ(Difference(formula, host, 0), "");
}

TEST(OptimizerMathTest, SgdEqualsTheHost) {
  for (const double momentum : {0.0, 0.9}) {
    for (const bool nesterov : {false, true}) {
      ExpectSgd<float>({momentum, nesterov});
      ExpectSgd<double>({momentum, nesterov});
    }
  }
}

}  // namespace
}  // namespace lockstep::kernels
