#include "reference/layers/residual.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/unary.h"
#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/dense.h"
#include "reference/layers/sequential.h"
#include "reference/regularizers/l2.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

const Tensor kX = Tensor::FromVector<float>({1, -4}, Shape{1, 2});

LayerPtr Ones(int64_t units) {
  return std::make_shared<Dense>(
      units, DenseOptions{.use_bias = false,
                          .kernel_initializer = initializers::Ones()});
}

LayerPtr Norm() {
  return std::make_shared<BatchNormalization>(
      BatchNormalizationOptions{.epsilon = 0});
}

TEST(ResidualTest, AddsItsInput) {
  Residual plain(Ones(2), nullptr, {.relu = false});
  EXPECT_EQ(plain(kX).ToVector<float>(), (Floats{-2, -7}));
  Residual cut(Ones(2));
  EXPECT_EQ(
      cut(Tensor::FromVector<float>({2, -3}, Shape{1, 2})).ToVector<float>(),
      (Floats{1, 0}));
}

TEST(ResidualTest, AddsItsShortcut) {
  Residual block(Ones(1), Ones(1), {.relu = false});
  EXPECT_EQ(block(kX).ToVector<float>(), (Floats{-6}));
  EXPECT_EQ(block.ComputeOutputShape(Shape{kUnknownDim, 2}),
            (Shape{kUnknownDim, 1}));
}

// y = x + k (x0 + x1) for both outputs: dy0/dx0 + dy1/dx0 = 1 + 2 k.
TEST(ResidualTest, GradientsOfBothPathsAreAdded) {
  Residual block(Ones(2), nullptr, {.relu = false});
  GradientTape tape;
  tape.Watch(kX);
  const auto gradient = tape.Gradient(block(kX), std::vector<Tensor>{kX});
  EXPECT_EQ(gradient[0]->ToVector<float>(), (Floats{3, 3}));
}

TEST(ResidualTest, WeightsAndPenaltiesAreThoseOfItsLayers) {
  ClearSession();
  const auto main = std::make_shared<Dense>(
      2, DenseOptions{.use_bias = false,
                      .kernel_initializer = initializers::Ones(),
                      .kernel_regularizer = std::make_shared<L2>(1)});
  Residual block(main, Ones(2));
  EXPECT_EQ(block.name(), "residual");
  block(kX);
  std::vector<std::string> names, nodes;
  for (const auto& variable : block.variables()) {
    names.push_back(variable->name());
  }
  for (const auto& child : block.children()) nodes.push_back(child.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"dense/kernel", "dense_1/kernel"}));
  EXPECT_EQ(nodes, (std::vector<std::string>{"main", "shortcut"}));
  ASSERT_EQ(block.losses().size(), 1u);
  EXPECT_EQ(block.losses()[0].item<float>(), 4);
}

// The addition moves into the normalization's kernel, through a Sequential too.
TEST(ResidualTest, FusedEqualsItsPartsBitForBit) {
  const Tensor x = Tensor::FromVector<float>({1, -4, 2, 3, 0, 1}, Shape{3, 2});
  auto dense = Ones(2), norm = Norm();
  Residual block(
      std::make_shared<Sequential>(std::vector<LayerPtr>{dense, norm}));
  block.Build(x.shape());
  const auto gradients = [&](const auto& function) {
    GradientTape tape;
    tape.Watch(x);
    const Tensor kernel = dense->variables()[0]->Read();
    const Tensor y = function();
    Gradients d =
        tape.Gradient(ops::Multiply(y, x), std::vector<Tensor>{x, kernel});
    d.push_back(y);
    return d;
  };
  const auto fused = gradients([&] { return block(x, true); });
  const auto parts = gradients(
      [&] { return ops::Relu(ops::Add((*norm)((*dense)(x, true), true), x)); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(BitwiseEqual(*fused[i], *parts[i])) << i;
  }
}

TEST(ResidualTest, ShapesThatDoNotFitAreInvalid) {
  EXPECT_THROW(Residual(nullptr), Error);
  Residual block(Ones(3));
  EXPECT_THROW(block(kX), Error);
  EXPECT_FALSE(block.built());
  EXPECT_TRUE(block.variables().empty());
}

}  // namespace
}  // namespace lockstep
