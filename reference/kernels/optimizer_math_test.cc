// The steps that GPU kernels take, against the host's optimizers: the same bits.
#include "reference/kernels/optimizer_math.h"

#include <gtest/gtest.h>

#include "reference/kernels/adam_constants.h"
#include "reference/kernels/adam_update.h"
#include "reference/kernels/kernel_cases.h"
#include "reference/kernels/sgd_update.h"
#include "reference/kernels/unary.h"

namespace lockstep::kernels {
namespace {

const Shape kShape{4001};

// Variable, gradient and two more of its shape.
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
  AdamUpdate({&item, 1}, {}, step);
  Tensors formula = Values<T>();
  const auto constants =
      kernels_internal::MakeAdamConstants<T>(AdamOptions{}, step);
  for (int64_t i = 0; i < kShape[0]; ++i) {
    kernels_internal::AdamStep(
        constants, before[1].at<T>(i), formula[0].mutable_data<T>()[i],
        formula[2].mutable_data<T>()[i], formula[3].mutable_data<T>()[i]);
  }
  EXPECT_EQ(Difference(formula, host, 0), "");
}

TEST(OptimizerMathTest, AdamsStepIsTheHosts) {
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
  SgdUpdate({&item, 1}, options);
  Tensors formula = Values<T>();
  const kernels_internal::SgdConstants<T> constants{
      static_cast<T>(options.learning_rate), static_cast<T>(options.momentum),
      options.nesterov};
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

TEST(OptimizerMathTest, SgdsStepIsTheHosts) {
  for (const double momentum : {0.0, 0.9}) {
    for (const bool nesterov : {false, true}) {
      ExpectSgd<float>({0.1, momentum, nesterov});
      ExpectSgd<double>({0.1, momentum, nesterov});
    }
  }
}

}  // namespace
}  // namespace lockstep::kernels
