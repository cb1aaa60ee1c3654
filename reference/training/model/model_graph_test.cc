#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/base/trace.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/regularizers/regularizer.h"
#include "reference/training/model/model.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

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

// The network of TensorFlow's custom-training guide.
std::vector<Layer> Network(bool integers) {
  Conv2DOptions conv{.activation = Activation::kRelu};
  DenseOptions dense{.activation = Activation::kRelu};
  if (integers) {
    conv.kernel_initializer = IntegerInitializer(3);
    dense.kernel_initializer = IntegerInitializer(2);
  }
  DenseOptions last = dense;
  last.activation = Activation::kLinear;
  return {Conv2D(32, 3, conv), MaxPooling2D(), Conv2D(64, 3, conv),
          MaxPooling2D(),      Flatten(),      Dense(64, dense),
          Dense(10, last)};
}

std::vector<std::string> ChildNames(const Trackable& node) {
  std::vector<std::string> names;
  for (const auto& child : node.children()) names.push_back(child.name);
  return names;
}

const Trackable& ChildOf(const Trackable& node, std::string_view name) {
  for (const auto& child : node.children()) {
    if (child.name == name) return *child.object;
  }
  throw std::runtime_error("no child " + std::string(name));
}

TEST(SequentialTest, DocumentedNetworkHasItsWeights) {
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

TEST(SequentialTest, FusedLayersGiveTheSame) {
  const std::vector<Layer> layers = Network(true);
  Sequential model(layers);
  const Tensor x = Integers(Shape{3, 28, 28, 1}, 2);
  GradientTape fused_tape;
  const Tensor fused = model(x);
  const auto fused_gradients =
      fused_tape.Gradient(fused, model.trainable_variables());
  GradientTape tape;
  Tensor y = x;
  for (const Layer& layer : layers) y = layer(y);
  const auto gradients = tape.Gradient(y, model.trainable_variables());
  EXPECT_TRUE(BitwiseEqual(fused, y));
  ASSERT_EQ(gradients.size(), 8u);
  for (size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_TRUE(BitwiseEqual(*fused_gradients[i], *gradients[i])) << i;
  }
}

// Both ReLUs run in the kernel of the normalization before them.
TEST(SequentialTest, FusedNormalizationAndReluGiveTheSame) {
  std::vector<Layer> layers;
  for (int i = 0; i < 2; ++i) {
    layers.push_back(
        Conv2D(4, 1, {.kernel_initializer = IntegerInitializer(3)}));
    layers.push_back(BatchNormalization());
    layers.push_back(ReLU());
  }
  Sequential model(layers);
  const Tensor x = Integers(Shape{2, 3, 3, 2}, 2);
  const Tensor fused = model(x, /*training=*/true);
  Tensor y = x;
  for (const Layer& layer : layers) y = layer(y, /*training=*/true);
  EXPECT_TRUE(BitwiseEqual(fused, y));
  EXPECT_EQ(*std::ranges::min_element(fused.span<float>()), 0);
}

Tensor RunWith(const Layer& layer, const Tensor& x, const Epilogue& epilogue,
               const Tensor& addend) {
  return layer.impl().Run(x, /*training=*/false, epilogue, addend);
}

TEST(SequentialTest, AnEpilogueComesAfterTheLastLayer) {
  const Tensor x = Tensor::FromVector<float>({1, -4}, Shape{1, 2});
  const Tensor addend = Tensor::FromVector<float>({-3, 2}, Shape{1, 2});
  const Sequential ends_with_relu({Flatten(), ReLU()});
  EXPECT_EQ(RunWith(ends_with_relu, x, {.add = true}, addend).ToVector<float>(),
            (Floats{-2, 2}));
  const Sequential nothing;
  EXPECT_EQ(RunWith(nothing, x, {.add = true, .relu = true}, addend)
                .ToVector<float>(),
            (Floats{0, 0}));
  const Sequential ends_with_pool(
      {Conv2D(1, 1,
              {.activation = Activation::kRelu,
               .kernel_initializer = initializers::Ones()}),
       MaxPooling2D()});
  const Tensor image =
      Tensor::FromVector<float>({1, 2, 3, 4}, Shape{1, 2, 2, 1});
  EXPECT_EQ(RunWith(ends_with_pool, image, {.add = true},
                    Tensor::Full(Shape{1, 1, 1, 1}, 2.0f))
                .item<float>(),
            6);
}

// Custom layers that override Call.
template <typename Impl>
class TimesTen : public Impl {
 public:
  using Impl::Impl;

 protected:
  Tensor Call(const Tensor& x, bool training) override {
    return 10 * Impl::Call(x, training);
  }
};

const Conv2DOptions kReluOfOnes{.activation = Activation::kRelu,
                                .kernel_initializer = initializers::Ones()};

TEST(SequentialTest, CallOfASubclassIsUsed) {
  const Tensor image =
      Tensor::FromVector<float>({1, 2, 3, 4}, Shape{1, 2, 2, 1});
  const auto result = [&](const std::vector<Layer>& layers) {
    return Sequential(layers)(image).item<float>();
  };
  const auto conv = [] { return Conv2D(1, 1, kReluOfOnes); };
  const Layer other_relu = MakeLayer<TimesTen<ReLUImpl>>("relu");
  EXPECT_EQ(result({conv(), MaxPooling2D()}), 4);
  EXPECT_EQ(result({MakeLayer<TimesTen<Conv2DImpl>>(1, 1, kReluOfOnes),
                    MaxPooling2D()}),
            40);
  EXPECT_EQ(result({conv(), MakeLayer<TimesTen<MaxPooling2DImpl>>(
                                2, MaxPooling2DOptions{})}),
            40);
  EXPECT_EQ(result({MaxPooling2D(), other_relu}), 40);
  EXPECT_EQ(result({conv(), other_relu, MaxPooling2D()}), 40);
}

class TenfoldSequential : public SequentialImpl {
 public:
  using SequentialImpl::SequentialImpl;

 protected:
  Structure Call(const Structure& inputs, bool training) override {
    return 10 * SequentialImpl::Call(inputs, training).leaf();
  }
};

TEST(SequentialTest, ASubclassOfItKeepsItsCall) {
  const Layer model = MakeLayer<TenfoldSequential>(
      std::vector<Layer>{BatchNormalization({.epsilon = 0})}, "tenfold");
  const Tensor x = Tensor::FromVector<float>({1, -4}, Shape{1, 2});
  const Tensor addend = Tensor::FromVector<float>({-3, 2}, Shape{1, 2});
  EXPECT_EQ(model(x).ToVector<float>(), (Floats{10, -40}));
  EXPECT_EQ(
      RunWith(model, x, {.add = true, .relu = true}, addend).ToVector<float>(),
      (Floats{7, 0}));
}

TEST(SequentialTest, AConvolutionWithoutReluIsNotFused) {
  Sequential model(
      {Conv2D(1, 1, {.kernel_initializer = initializers::Constant(-1)}),
       MaxPooling2D()});
  const Tensor x = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{1, 2, 2, 1});
  EXPECT_EQ(model(x).item<float>(), -1);
}

TEST(SequentialTest, EqualSeedsGiveEqualWeights) {
  const auto weights = [](uint64_t seed) {
    SetRandomSeed(seed);
    Sequential model({Input({4}), Dense(3)});
    return model.variables()[0]->Read();
  };
  EXPECT_TRUE(BitwiseEqual(weights(1), weights(1)));
  EXPECT_FALSE(BitwiseEqual(weights(1), weights(2)));
}

TEST(SequentialTest, AnInputMakesTheWeightsAtOnce) {
  Sequential model({Input({4}), Dense(3)});
  EXPECT_TRUE(model.built());
  EXPECT_EQ(model.variables().size(), 2u);
  EXPECT_THROW(model(Tensor::Zeros(Shape{1, 5})), Error);
  Sequential later({Dense(3)});
  EXPECT_FALSE(later.built());
  later.Build(Shape{kUnknownDim, 4});
  EXPECT_EQ(later.variables().size(), 2u);
  EXPECT_EQ(later.ComputeOutputShape(Shape{kUnknownDim, 4}),
            (Shape{kUnknownDim, 3}));
}

TEST(SequentialTest, CheckpointNodesAreThoseOfKeras) {
  for (const bool with_input : {false, true}) {
    std::vector<Layer> layers = Network(false);
    if (with_input) layers.insert(layers.begin(), Input({28, 28, 1}));
    Sequential model(layers);
    EXPECT_EQ(model.trackable()->children().empty(), !with_input);
    model.Build(Shape{kUnknownDim, 28, 28, 1});
    EXPECT_EQ(ChildNames(*model.trackable()),
              std::vector<std::string>{"_functional"});
    const Trackable& functional = ChildOf(*model.trackable(), "_functional");
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
  Sequential model({Input({2}),
                    Dense(1, {.kernel_initializer = initializers::Ones(),
                              .kernel_regularizer = l2}),
                    Dense(1, {.kernel_initializer = initializers::Constant(2),
                              .kernel_regularizer = l2})});
  const auto losses = model.losses();
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[0].item<float>(), 1);
  EXPECT_EQ(losses[1].item<float>(), 2);
}

TEST(SequentialTest, ModelsNest) {
  const Sequential inner({Flatten()});
  Sequential model({inner, Dense(2)});
  EXPECT_EQ(model(Tensor::Zeros(Shape{3, 2, 2})).shape(), (Shape{3, 2}));
  EXPECT_EQ(model.variables()[0]->shape(), (Shape{4, 2}));
}

TEST(SequentialTest, WrongLayersAreRefused) {
  Sequential model;
  const Dense dense(3);
  EXPECT_EQ(CodeOf([] { Layer(std::shared_ptr<LayerImpl>()); }),
            Code::kInvalidArgument);
  model.Add(dense);
  EXPECT_EQ(CodeOf([&] { model.Add(dense); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { model.Add(Input({3})); }), Code::kInvalidArgument);
  model.Build(Shape{kUnknownDim, 4});
  EXPECT_EQ(CodeOf([&] { model.Add(Dense(3)); }), Code::kFailedPrecondition);
}

TEST(SequentialTest, WrongShapeCreatesNoWeights) {
  Sequential model(Network(false));
  EXPECT_THROW(model(Tensor::Zeros(Shape{1, 4, 4, 1})), Error);
  EXPECT_FALSE(model.built());
  EXPECT_TRUE(model.variables().empty());
  EXPECT_EQ(model(Tensor::Zeros(Shape{1, 28, 28, 1})).shape(), (Shape{1, 10}));
}

const Tensor kX = Tensor::FromVector<float>({1, -4}, Shape{1, 2});

Layer Norm() { return BatchNormalization({.epsilon = 0}); }

DenseOptions OfOnes(const std::string& name) {
  return {.use_bias = false,
          .kernel_initializer = initializers::Ones(),
          .name = name};
}

TEST(ModelTest, TakesAndGivesStructures) {
  const SymbolicTensor x = Input({2}), y = Input({1});
  const SymbolicTensor hidden = Dense(1, OfOnes("hidden"))(x);
  const SymbolicTensor both = Concatenate()({hidden, y});
  EXPECT_EQ(both.shape(), (Shape{kUnknownDim, 2}));
  const Model model({x, y}, {both, Dense(1, OfOnes("last"))(both)});
  const Structure results = model({kX, Tensor::Full(Shape{1, 1}, 5.0f)});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].leaf().ToVector<float>(), (Floats{-3, 5}));
  EXPECT_EQ(results[1].leaf().item<float>(), 2);
  EXPECT_EQ(model.variables().size(), 2u);
}

TEST(ModelTest, DictionariesKeepTheirKeys) {
  const SymbolicTensor x = Input({2});
  const Nest<SymbolicTensor> inputs = Nest<SymbolicTensor>::Dict({{"x", x}});
  const SymbolicStructure outputs =
      Nest<SymbolicTensor>::Dict({{"cut", ReLU()(x)}, {"same", x}});
  const Model model(inputs, outputs);
  const Structure results = model(Structure::Dict({{"x", kX}}));
  EXPECT_EQ(results["cut"].leaf().ToVector<float>(), (Floats{1, 0}));
  EXPECT_EQ(results["same"].leaf().ToVector<float>(), (Floats{1, -4}));
}

// One layer twice: f(f(x)) with f(x) = (s, s), s = x0 + x1.
TEST(ModelTest, ALayerMayBeSharedAndCountsOnce) {
  const Dense shared(2, {.use_bias = false,
                         .kernel_initializer = initializers::Ones(),
                         .kernel_regularizer = std::make_shared<L2>(1)});
  const SymbolicTensor x = Input({2});
  const Model model(x, shared(shared(x)));
  EXPECT_EQ(model(kX).ToVector<float>(), (Floats{-6, -6}));
  EXPECT_EQ(model.layers().size(), 2u);
  EXPECT_EQ(model.variables(), shared.variables());
  EXPECT_EQ(model.losses().size(), 1u);
  GradientTape tape;
  const auto d = tape.Gradient(model(kX), model.trainable_variables());
  // x^T (1 K^T) + (x K)^T 1 = [1, -4]^T [2, 2] + [-3, -3]^T [1, 1]
  EXPECT_EQ(d[0]->ToVector<float>(), (Floats{-1, -1, -11, -11}));
}

// y = x + k (x0 + x1) for both outputs: dy0/dx0 + dy1/dx0 = 1 + 2 k.
TEST(ModelTest, GradientsOfBothPathsAreAdded) {
  const SymbolicTensor x = Input({2});
  const Model block(x, Add()({Dense(2, OfOnes("main"))(x), x}));
  GradientTape tape;
  tape.Watch(kX);
  const Tensor y = block(kX);
  EXPECT_EQ(y.ToVector<float>(), (Floats{-2, -7}));
  const auto gradient = tape.Gradient(y, std::vector<Tensor>{kX});
  EXPECT_EQ(gradient[0]->ToVector<float>(), (Floats{3, 3}));
}

// The block of a residual network, whose addition and ReLU run in the kernel of
// the normalization before them. Bitwise the same as the separate layers.
TEST(ModelTest, AnAdditionAndAReluRunInTheNormalization) {
  const Conv2D conv(2, 1, {.kernel_initializer = IntegerInitializer(3)});
  const BatchNormalization norm;
  const Add add;
  const ReLU relu;
  const SymbolicTensor x = Input({2, 2, 2});
  const Model model(x, relu(add({norm(conv(x)), x})));
  const Tensor image = Integers(Shape{3, 2, 2, 2}, 2);
  const auto gradients = [&](const auto& function) {
    GradientTape tape;
    tape.Watch(image);
    const Tensor y = function();
    std::vector<GradientSource> sources = {image};
    for (const auto& variable : model.trainable_variables()) {
      sources.push_back(variable);
    }
    Gradients d = tape.Gradient(y * y, sources);
    d.push_back(y);
    return d;
  };
  TraceTrack track;
  const auto fused = gradients([&] {
    const TraceScope scope(&track);
    return model(image, true);
  });
  std::vector<std::string> called;
  for (const CompletedSpan& span : track.spans()) called.push_back(span.name);
  EXPECT_EQ(called,
            (std::vector<std::string>{conv.name(), norm.name(), model.name()}));
  const auto parts = gradients([&] {
    const Tensor y = norm(conv(image, true), true);
    const Tensor sum = add({y, image}, true);
    return relu(sum, true);
  });
  ASSERT_EQ(fused.size(), parts.size());
  for (size_t i = 0; i < fused.size(); ++i) {
    EXPECT_TRUE(BitwiseEqual(*fused[i], *parts[i])) << i;
  }
}

// A result with another user is not fused into a kernel.
TEST(ModelTest, AnIntermediateResultCanBeAnOutput) {
  const SymbolicTensor x = Input({2});
  const SymbolicTensor y = Norm()(x);
  const Model model(x, {y, ReLU()(y), Add()({y, y})});
  const Structure results = model(Structure(kX));
  EXPECT_THROW(model(kX), Error);
  EXPECT_EQ(results[0].leaf().ToVector<float>(), (Floats{1, -4}));
  EXPECT_EQ(results[1].leaf().ToVector<float>(), (Floats{1, 0}));
  EXPECT_EQ(results[2].leaf().ToVector<float>(), (Floats{2, -8}));
}

TEST(ModelTest, ModelsAreLayersOfModels) {
  const SymbolicTensor x = Input({2});
  const Model inner(x, Dense(2, OfOnes("inner"))(x));
  const SymbolicTensor y = Input({2});
  const Model outer(y, Add()({inner(y), y}));
  EXPECT_EQ(outer(kX).ToVector<float>(), (Floats{-2, -7}));
  EXPECT_EQ(outer.variables(), inner.variables());
  EXPECT_EQ(outer.ComputeOutputShape(Shape{7, 2}), (Shape{7, 2}));
}

// Keras 3.15: tf.keras.Model([a, b], [o1, o2]) of the same calls has its
// operations in this order, and the parts of a checkpoint in that one.
TEST(ModelTest, LayersAndCheckpointNodesAreThoseOfKeras) {
  const SymbolicTensor a = Input({4}, "a"), b = Input({3}, "b");
  const Dense shared(5, {.name = "shared"});
  const SymbolicTensor from_b = Dense(4, {.name = "from_b"})(b);
  const SymbolicTensor x = shared(a), y = shared(from_b);
  const SymbolicTensor cut = ReLU("cut")(Add("sum")({y, x}));
  const SymbolicTensor both = Concatenate(-1, "both")({cut, b});
  const Model model(
      {a, b}, {Dense(2, {.name = "o1"})(both), Dense(1, {.name = "o2"})(cut)});
  std::vector<std::string> names;
  for (const Layer& layer : model.layers()) names.push_back(layer.name());
  EXPECT_EQ(names,
            (std::vector<std::string>{"b", "from_b", "a", "shared", "sum",
                                      "cut", "both", "o1", "o2"}));
  EXPECT_EQ(ChildNames(*model.trackable()),
            (std::vector<std::string>{
                "_tracked", "_inbound_nodes", "_outbound_nodes", "_losses",
                "_losses_override", "call_signature_parameters",
                "_call_has_context_arg", "_operations"}));
  const Trackable& operations = ChildOf(*model.trackable(), "_operations");
  EXPECT_EQ(operations.children().size(), 9u);
  EXPECT_EQ(&ChildOf(operations, "3"), shared.trackable());
}

TEST(ModelTest, WhatIsNoModelIsInvalid) {
  const SymbolicTensor x = Input({2}), other = Input({2});
  const SymbolicTensor y = Dense(2, OfOnes("y"))(x);
  const SymbolicTensor same_name = Dense(2, OfOnes("y"))(x);
  for (const auto& make :
       std::vector<std::function<void()>>{[&] {
                                            Model(x, Add()({y, other}));
                                          },
                                          [&] { Model(y, y); },
                                          [&] {
                                            Model({x, x}, y);
                                          },
                                          [&] { Model(x, SymbolicTensor()); },
                                          [&] {
                                            Model(x, {y, same_name});
                                          },
                                          [&] { Layer layer(y); },
                                          [&] {
                                            Add()({x, Input({3})});
                                          },
                                          [&] {
                                            Concatenate(0)({x, y});
                                          },
                                          [&] {
                                            Concatenate()({x, Input({2, 2})});
                                          },
                                          [&] {
                                            Dense(1)(SymbolicStructure{x, y});
                                          }}) {
    EXPECT_THROW(make(), Error);
  }
  const Model model({x, other}, Add()({y, other}));
  EXPECT_THROW(model(kX), Error);
  EXPECT_THROW(model({kX, kX, kX}), Error);
  EXPECT_THROW(model({kX, Tensor::Zeros(Shape{1, 3})}), Error);
}

}  // namespace
}  // namespace lockstep
