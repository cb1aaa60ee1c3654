#include "reference/layers/sequential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/regularizers/regularizer.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

TEST(InputLayerTest, PassesItsShapeOnly) {
  const LayerPtr input = Input({2});
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{1, 2});
  EXPECT_EQ((*input)(x).ToVector<float>(), (Floats{1, 2}));
  EXPECT_THROW((*input)(Tensor::Zeros(Shape{1, 3})), Error);
  EXPECT_EQ(static_cast<const InputLayer&>(*input).batch_shape(),
            (Shape{kUnknownDim, 2}));
}

// Small integers, so that the order of additions cannot matter.
Tensor Integers(const Shape& shape, int factor) {
  Floats values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(i * factor % 5) - 2);
  }
  return Tensor::FromVector(values, shape);
}

Initializer IntegerInitializer(int factor) {
  return
      [factor](const Shape& shape, Random&) { return Integers(shape, factor); };
}

// The network of the custom-training document.
std::vector<LayerPtr> Network(bool integers) {
  Conv2DOptions conv{.activation = Activation::kRelu};
  DenseOptions dense{.activation = Activation::kRelu};
  if (integers) {
    conv.kernel_initializer = IntegerInitializer(3);
    dense.kernel_initializer = IntegerInitializer(2);
  }
  DenseOptions last = dense;
  last.activation = Activation::kLinear;
  return {
      std::make_shared<Conv2D>(32, 3, conv), std::make_shared<MaxPooling2D>(),
      std::make_shared<Conv2D>(64, 3, conv), std::make_shared<MaxPooling2D>(),
      std::make_shared<Flatten>(),           std::make_shared<Dense>(64, dense),
      std::make_shared<Dense>(10, last)};
}

std::vector<std::string> ChildNames(const Trackable& node) {
  std::vector<std::string> names;
  for (const auto& child : node.children()) names.push_back(child.name);
  return names;
}

const Trackable& ChildOf(const Trackable& node, const std::string& name) {
  for (const auto& child : node.children()) {
    if (child.name == name) return *child.object;
  }
  throw std::runtime_error("no child " + name);
}

TEST(SequentialTest, TheDocumentsNetworkHasItsWeights) {
  ClearSession();
  Sequential model(Network(false));
  EXPECT_EQ(model.name(), "sequential");
  EXPECT_EQ(model(Tensor::Zeros(Shape{2, 28, 28, 1})).shape(), (Shape{2, 10}));
  std::vector<std::string> names;
  int64_t count = 0;
  for (const auto& variable : model.trainable_variables()) {
    names.push_back(variable->name());
    count += variable->shape().num_elements();
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "conv2d/kernel", "conv2d/bias", "conv2d_1/kernel",
                       "conv2d_1/bias", "dense/kernel", "dense/bias",
                       "dense_1/kernel", "dense_1/bias"}));
  EXPECT_EQ(count, 320 + 18496 + 102464 + 650);
}

TEST(SequentialTest, FusedLayersGiveTheResultsOfTheSingleOnes) {
  const std::vector<LayerPtr> layers = Network(true);
  Sequential model(layers);
  const Tensor x = Integers(Shape{3, 28, 28, 1}, 2);
  GradientTape fused_tape;
  const Tensor fused = model(x);
  const auto fused_gradients =
      fused_tape.Gradient(fused, model.trainable_variables());
  GradientTape tape;
  Tensor y = x;
  for (const LayerPtr& layer : layers) y = (*layer)(y);
  const auto gradients = tape.Gradient(y, model.trainable_variables());
  EXPECT_TRUE(BitwiseEqual(fused, y));
  ASSERT_EQ(gradients.size(), 8u);
  for (size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_TRUE(BitwiseEqual(*fused_gradients[i], *gradients[i])) << i;
  }
}

// The ReLU in the middle and the one at the end: both run in the kernel before.
TEST(SequentialTest, NormalizationAndReluGiveTheResultsOfTheSingleOnes) {
  std::vector<LayerPtr> layers;
  for (int i = 0; i < 2; ++i) {
    layers.push_back(std::make_shared<Conv2D>(
        4, 1, Conv2DOptions{.kernel_initializer = IntegerInitializer(3)}));
    layers.push_back(std::make_shared<BatchNormalization>());
    layers.push_back(std::make_shared<ReLU>());
  }
  Sequential model(layers);
  const Tensor x = Integers(Shape{2, 3, 3, 2}, 2);
  const Tensor fused = model(x, /*training=*/true);
  Tensor y = x;
  for (const LayerPtr& layer : layers) y = (*layer)(y, /*training=*/true);
  EXPECT_TRUE(BitwiseEqual(fused, y));
  EXPECT_EQ(*std::ranges::min_element(fused.span<float>()), 0);
}

TEST(SequentialTest, AnEpilogueComesAfterTheLastLayer) {
  const Tensor x = Tensor::FromVector<float>({1, -4}, Shape{1, 2});
  const Tensor addend = Tensor::FromVector<float>({-3, 2}, Shape{1, 2});
  Sequential ends_with_relu(
      {std::make_shared<Flatten>(), std::make_shared<ReLU>()});
  EXPECT_EQ(ends_with_relu(x, false, {.addend = addend}).ToVector<float>(),
            (Floats{-2, 2}));
  Sequential nothing;
  EXPECT_EQ(
      nothing(x, false, {.addend = addend, .relu = true}).ToVector<float>(),
      (Floats{0, 0}));
  Sequential ends_with_pool(
      {std::make_shared<Conv2D>(
           1, 1,
           Conv2DOptions{.activation = Activation::kRelu,
                         .kernel_initializer = initializers::Ones()}),
       std::make_shared<MaxPooling2D>()});
  const Tensor image =
      Tensor::FromVector<float>({1, 2, 3, 4}, Shape{1, 2, 2, 1});
  EXPECT_EQ(ends_with_pool(image, false,
                           {.addend = Tensor::Full(Shape{1, 1, 1, 1}, 2.0f)})
                .item<float>(),
            6);
}

// Layers of somebody else, with a Call of their own.
template <typename Base>
class TimesTen : public Base {
 public:
  using Base::Base;

 protected:
  Tensor Call(const Tensor& x, bool training) override {
    return ops::Scale(Base::Call(x, training), 10);
  }
};

std::shared_ptr<Conv2D> AsItIs() {
  return std::make_shared<Conv2D>(
      1, 1,
      Conv2DOptions{.activation = Activation::kRelu,
                    .kernel_initializer = initializers::Ones()});
}

TEST(SequentialTest, TheCallOfASubclassIsNotLeftOut) {
  const Tensor image =
      Tensor::FromVector<float>({1, 2, 3, 4}, Shape{1, 2, 2, 1});
  const auto result = [&](const std::vector<LayerPtr>& layers) {
    return Sequential(layers)(image).item<float>();
  };
  const auto pool = [] { return std::make_shared<MaxPooling2D>(); };
  EXPECT_EQ(result({AsItIs(), pool()}), 4);
  EXPECT_EQ(
      result({std::make_shared<TimesTen<Conv2D>>(
                  1, 1,
                  Conv2DOptions{.activation = Activation::kRelu,
                                .kernel_initializer = initializers::Ones()}),
              pool()}),
      40);
  EXPECT_EQ(result({AsItIs(), std::make_shared<TimesTen<MaxPooling2D>>()}), 40);
  EXPECT_EQ(result({pool(), std::make_shared<TimesTen<ReLU>>()}), 40);
  EXPECT_EQ(result({AsItIs(), std::make_shared<TimesTen<ReLU>>(), pool()}), 40);
}

TEST(SequentialTest, ASubclassOfItKeepsItsCall) {
  TimesTen<Sequential> model({std::make_shared<Flatten>()});
  const Tensor x = Tensor::FromVector<float>({1, -4}, Shape{1, 2});
  const Tensor addend = Tensor::FromVector<float>({-3, 2}, Shape{1, 2});
  EXPECT_EQ(model(x).ToVector<float>(), (Floats{10, -40}));
  EXPECT_EQ(model(x, false, {.addend = addend, .relu = true}).ToVector<float>(),
            (Floats{7, 0}));
}

TEST(SequentialTest, AConvolutionWithoutReluIsNotFused) {
  Sequential model(
      {std::make_shared<Conv2D>(
           1, 1,
           Conv2DOptions{.kernel_initializer = initializers::Constant(-1)}),
       std::make_shared<MaxPooling2D>()});
  const Tensor x = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{1, 2, 2, 1});
  EXPECT_EQ(model(x).item<float>(), -1);
}

TEST(SequentialTest, EqualSeedsGiveEqualWeights) {
  const auto weights = [](uint64_t seed) {
    SetRandomSeed(seed);
    Sequential model({Input({4}), std::make_shared<Dense>(3)});
    return model.variables()[0]->Read();
  };
  EXPECT_TRUE(BitwiseEqual(weights(1), weights(1)));
  EXPECT_FALSE(BitwiseEqual(weights(1), weights(2)));
}

TEST(SequentialTest, AnInputMakesTheWeightsAtOnce) {
  Sequential model({Input({4}), std::make_shared<Dense>(3)});
  EXPECT_TRUE(model.built());
  EXPECT_EQ(model.variables().size(), 2u);
  EXPECT_THROW(model(Tensor::Zeros(Shape{1, 5})), Error);
  Sequential later({std::make_shared<Dense>(3)});
  EXPECT_FALSE(later.built());
  later.Build(Shape{kUnknownDim, 4});
  EXPECT_EQ(later.variables().size(), 2u);
  EXPECT_EQ(later.ComputeOutputShape(Shape{kUnknownDim, 4}),
            (Shape{kUnknownDim, 3}));
}

TEST(SequentialTest, CheckpointNodesAreThoseOfKeras) {
  for (const bool with_input : {false, true}) {
    std::vector<LayerPtr> layers = Network(false);
    if (with_input) layers.insert(layers.begin(), Input({28, 28, 1}));
    Sequential model(layers);
    EXPECT_EQ(model.children().empty(), !with_input);
    model.Build(Shape{kUnknownDim, 28, 28, 1});
    EXPECT_EQ(ChildNames(model), std::vector<std::string>{"_functional"});
    const Trackable& functional = ChildOf(model, "_functional");
    EXPECT_EQ(ChildNames(functional),
              (std::vector<std::string>{
                  "_tracked", "_inbound_nodes", "_outbound_nodes", "_losses",
                  "_losses_override", "call_signature_parameters",
                  "_call_has_context_arg", "_operations"}));
    const Trackable& operations = ChildOf(functional, "_operations");
    EXPECT_EQ(
        ChildNames(operations),
        (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7"}));
    EXPECT_TRUE(ChildOf(operations, "0").children().empty());
    for (const char* weighted : {"1", "3", "6", "7"}) {
      EXPECT_EQ(ChildNames(ChildOf(operations, weighted)),
                (std::vector<std::string>{"_kernel", "bias"}));
    }
    EXPECT_EQ(&ChildOf(ChildOf(operations, "7"), "bias"),
              model.variables()[7].get());
  }
}

TEST(SequentialTest, CollectsThePenaltiesOfItsLayers) {
  const auto l2 = std::make_shared<L2>(0.5);
  Sequential model(
      {Input({2}),
       std::make_shared<Dense>(
           1, DenseOptions{.kernel_initializer = initializers::Ones(),
                           .kernel_regularizer = l2}),
       std::make_shared<Dense>(
           1, DenseOptions{.kernel_initializer = initializers::Constant(2),
                           .kernel_regularizer = l2})});
  const auto losses = model.losses();
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[0].item<float>(), 1);
  EXPECT_EQ(losses[1].item<float>(), 2);
}

TEST(SequentialTest, ModelsNest) {
  const auto inner = std::make_shared<Sequential>(
      std::vector<LayerPtr>{std::make_shared<Flatten>()});
  Sequential model({inner, std::make_shared<Dense>(2)});
  EXPECT_EQ(model(Tensor::Zeros(Shape{3, 2, 2})).shape(), (Shape{3, 2}));
  EXPECT_EQ(model.variables()[0]->shape(), (Shape{4, 2}));
}

TEST(SequentialTest, WrongLayersAreRefused) {
  const auto code_of = [](const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.code();
    }
    return Code::kUnavailable;
  };
  Sequential model;
  const auto dense = std::make_shared<Dense>(3);
  EXPECT_EQ(code_of([&] { model.Add(nullptr); }), Code::kInvalidArgument);
  model.Add(dense);
  EXPECT_EQ(code_of([&] { model.Add(dense); }), Code::kInvalidArgument);
  EXPECT_EQ(code_of([&] { model.Add(Input({3})); }), Code::kInvalidArgument);
  model.Build(Shape{kUnknownDim, 4});
  EXPECT_EQ(code_of([&] { model.Add(std::make_shared<Dense>(3)); }),
            Code::kFailedPrecondition);
}

TEST(SequentialTest, AShapeThatDoesNotFitMakesNoWeights) {
  Sequential model(Network(false));
  EXPECT_THROW(model(Tensor::Zeros(Shape{1, 4, 4, 1})), Error);
  EXPECT_FALSE(model.built());
  EXPECT_TRUE(model.variables().empty());
  EXPECT_EQ(model(Tensor::Zeros(Shape{1, 28, 28, 1})).shape(), (Shape{1, 10}));
}

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
