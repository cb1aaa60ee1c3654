#include "reference/layers/dense.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"
#include "reference/regularizers/l2.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

TEST(DenseTest, MakesKerasVariables) {
  ClearSession();
  Dense first(4), second(10);
  second.Build(Shape{kUnknownDim, 64});
  const auto variables = second.trainable_variables();
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0]->name(), "dense_1/kernel");
  EXPECT_EQ(variables[0]->shape(), (Shape{64, 10}));
  EXPECT_EQ(variables[1]->name(), "dense_1/bias");
  EXPECT_TRUE(second.non_trainable_variables().empty());
  EXPECT_EQ(second.children()[0].name, "_kernel");
  EXPECT_EQ(second.children()[1].name, "bias");
}

TEST(DenseTest, ComputesByHand) {
  Dense dense(2, {.activation = Activation::kRelu,
                  .kernel_initializer =
                      [](const Shape& shape, Random&) {
                        return Tensor::FromVector<float>({1, 0, 3, -9}, shape);
                      },
                  .bias_initializer = initializers::Ones()});
  EXPECT_EQ(
      dense(Tensor::FromVector<float>({1, 2}, Shape{1, 2})).ToVector<float>(),
      (Floats{8, 0}));
}

TEST(DenseTest, WorksOnTheLastOfManyAxes) {
  Dense dense(1, {.activation = Activation::kSigmoid,
                  .use_bias = false,
                  .kernel_initializer = initializers::Zeros()});
  const Tensor y = dense(Tensor::Zeros(Shape{2, 3, 4}));
  EXPECT_EQ(y.shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(y.ToVector<float>(), Floats(6, 0.5));
}

TEST(DenseTest, DoublesAreComputedAsFloats) {
  Dense dense(1, {.kernel_initializer = initializers::Ones()});
  const Tensor y = dense(Tensor::FromVector<double>({1, 2}, Shape{1, 2}));
  EXPECT_EQ(y.dtype(), DType::kFloat32);
  EXPECT_EQ(y.item<float>(), 3);
}

TEST(DenseTest, WrongArgumentsAreInvalid) {
  EXPECT_THROW(Dense(0), Error);
  Dense dense(2);
  EXPECT_THROW(dense(Tensor::Zeros(Shape{3})), Error);
  EXPECT_THROW(dense(Tensor::Scalar(1.0f)), Error);
  EXPECT_THROW(dense(Tensor()), Error);
  EXPECT_THROW(dense.Build(Shape{kUnknownDim, kUnknownDim}), Error);
  dense(Tensor::Zeros(Shape{1, 3}));
  EXPECT_THROW(dense(Tensor::Zeros(Shape{1, 4})), Error);
}

}  // namespace
}  // namespace lockstep
