#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_config.h"
#include "reference/regularizers/regularizer.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

TEST(ActivationTest, ParsesNames) {
  EXPECT_EQ(ParseActivation("linear"), Activation::kLinear);
  EXPECT_EQ(ParseActivation("relu"), Activation::kRelu);
  EXPECT_EQ(ParseActivation("sigmoid"), Activation::kSigmoid);
  EXPECT_EQ(ParseActivation("softmax"), Activation::kSoftmax);
  EXPECT_EQ(ParseActivation("tanh"), Activation::kTanh);
  EXPECT_EQ(ParseActivation("gelu"), Activation::kGelu);
  EXPECT_EQ(ActivationName(Activation::kGeluTanh), "gelu_tanh");
  EXPECT_THROW(ParseActivation("Relu"), Error);
}

TEST(ActivationTest, Activates) {
  const Tensor x = Tensor::FromVector<float>({-1, 0, 2}, Shape{1, 3});
  EXPECT_EQ(Activate(Activation::kRelu, x).ToVector<float>(),
            (Floats{0, 0, 2}));
  EXPECT_EQ(Activate(Activation::kLinear, x).id(), x.id());
  EXPECT_EQ(Activate(Activation::kSigmoid, x).at<float>(1), 0.5f);
  EXPECT_EQ(Activate(Activation::kTanh, x).at<float>(1), 0);
  const Tensor zeros = Tensor::Zeros(Shape{1, 4});
  EXPECT_EQ(Activate(Activation::kSoftmax, zeros).ToVector<float>(),
            Floats(4, 0.25));
}

// From torch.nn.functional.gelu of PyTorch 2.15.0; of order 1 in float32.
TEST(ActivationTest, TwoFormsOfGelu) {
  const Tensor x = Tensor::FromVector<float>({-1, 0, 3}, Shape{1, 3});
  const Tensor by_erf = Activate(Activation::kGelu, x);
  EXPECT_NEAR(by_erf.at<float>(0), -0.158655253931, 1e-6);
  EXPECT_NEAR(by_erf.at<float>(2), 2.99595030591, 1e-6);
  const Tensor by_tanh = Activate(Activation::kGeluTanh, x);
  EXPECT_NEAR(by_tanh.at<float>(0), -0.158808009392, 1e-6);
  EXPECT_NEAR(by_tanh.at<float>(2), 2.99636260792, 1e-6);
  EXPECT_EQ(Dense(1, {.activation = Activation::kGelu})
                .impl()
                .Config()
                .config["activation"],
            "gelu");
  EXPECT_EQ(
      CodeOf([] { ActivationLayer(Activation::kGeluTanh).impl().Config(); }),
      Code::kUnimplemented);
}

TEST(MultiplyTest, ProductOfAllInputs) {
  ClearSession();
  const Multiply multiply;
  EXPECT_EQ(multiply.name(), "multiply");
  const Tensor a = Tensor::FromVector<float>({1, 2}, Shape{1, 2});
  const Tensor b = Tensor::FromVector<float>({3, 5}, Shape{1, 2});
  const Tensor c = Tensor::FromVector<float>({2, 7}, Shape{1, 2});
  GradientTape tape;
  for (const Tensor& x : {a, b, c}) tape.Watch(x);
  const Tensor y = multiply(std::vector<Structure>{a, b, c}).leaf();
  EXPECT_EQ(y.ToVector<float>(), (Floats{6, 70}));
  const Gradients d = tape.Gradient(y, std::vector<Tensor>{a, b, c});
  EXPECT_EQ(d[0]->ToVector<float>(), (Floats{6, 35}));
  EXPECT_EQ(d[1]->ToVector<float>(), (Floats{2, 14}));
  EXPECT_EQ(d[2]->ToVector<float>(), (Floats{3, 10}));
  EXPECT_EQ(multiply.impl().Config().class_name, "Multiply");
  EXPECT_THROW(multiply(std::vector<Structure>{a}), Error);
  EXPECT_THROW(multiply(std::vector<Structure>{a, Tensor::Zeros(Shape{1, 3})}),
               Error);
}

TEST(ReLUTest, CutsNegativeElements) {
  ClearSession();
  ReLU relu;
  EXPECT_EQ(relu.name(), "re_lu");
  const Tensor x = Tensor::FromVector<float>({-1, 0, 2, -3}, Shape{2, 2});
  EXPECT_EQ(relu(x).ToVector<float>(), (std::vector<float>{0, 0, 2, 0}));
  EXPECT_EQ(relu.ComputeOutputShape(Shape{kUnknownDim, 5}),
            (Shape{kUnknownDim, 5}));
  EXPECT_TRUE(relu.variables().empty());
}

TEST(ActivationLayerTest, Activates) {
  ClearSession();
  const ActivationLayer tanh(Activation::kTanh);
  EXPECT_EQ(tanh.name(), "activation");
  const Tensor x = Tensor::FromVector<float>({-1, 0, 2}, Shape{1, 3});
  EXPECT_TRUE(BitwiseEqual(tanh(x), Activate(Activation::kTanh, x)));
  EXPECT_TRUE(tanh.impl().AsEpilogue().empty());
  EXPECT_TRUE(ActivationLayer(Activation::kRelu).impl().AsEpilogue().relu);
  EXPECT_EQ(tanh.ComputeOutputShape(Shape{kUnknownDim, 3}),
            (Shape{kUnknownDim, 3}));
}

TEST(FlattenTest, KeepsTheBatchAxis) {
  Flatten flatten;
  EXPECT_EQ(flatten(Tensor::Zeros(Shape{2, 5, 5, 3})).shape(), (Shape{2, 75}));
  EXPECT_EQ(flatten(Tensor::Zeros(Shape{0, 5, 2})).shape(), (Shape{0, 10}));
  EXPECT_EQ(flatten.ComputeOutputShape(Shape{kUnknownDim, 4, 2}),
            (Shape{kUnknownDim, 8}));
  EXPECT_TRUE(flatten.variables().empty());
  EXPECT_THROW(flatten.ComputeOutputShape(Shape{1, kUnknownDim}), Error);
}

TEST(FlattenTest, KeepsTheElements) {
  ClearSession();
  Flatten flatten;
  EXPECT_EQ(flatten.name(), "flatten");
  const Tensor x = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{1, 2, 2});
  EXPECT_EQ(flatten(x).ToVector<float>(), (Floats{1, 2, 3, 4}));
}

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
  EXPECT_EQ(second.trackable()->children()[0].name, "_kernel");
  EXPECT_EQ(second.trackable()->children()[1].name, "bias");
}

TEST(DenseTest, KnownValues) {
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

// As Keras 3.15.1 with what a lookup of output mode count returns.
TEST(DenseTest, ComputesIntegersAsFloats) {
  Dense dense(1, {.kernel_initializer = initializers::Ones()});
  const Tensor counts = Tensor::FromVector<int64_t>({1, 2}, Shape{1, 2});
  EXPECT_EQ(dense(counts).ToVector<float>(), (Floats{3}));
  const Tensor both =
      Concatenate()({counts, Tensor::FromVector<float>({0.5}, Shape{1, 1})})
          .leaf();
  EXPECT_EQ(both.ToVector<float>(), (Floats{1, 2, 0.5}));
}

TEST(DenseTest, ManyAxes) {
  Dense dense(1, {.activation = Activation::kSigmoid,
                  .use_bias = false,
                  .kernel_initializer = initializers::Zeros()});
  const Tensor y = dense(Tensor::Zeros(Shape{2, 3, 4}));
  EXPECT_EQ(y.shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(y.ToVector<float>(), Floats(6, 0.5));
}

TEST(DenseTest, ComputesDoublesAsFloats) {
  Dense dense(1, {.kernel_initializer = initializers::Ones()});
  const Tensor y = dense(Tensor::FromVector<double>({1, 2}, Shape{1, 2}));
  EXPECT_EQ(y.dtype(), DType::kFloat32);
  EXPECT_EQ(y.item<float>(), 3);
}

TEST(DenseTest, RefusesWrongArguments) {
  EXPECT_THROW(Dense(0), Error);
  Dense dense(2);
  EXPECT_THROW(dense(Tensor::Zeros(Shape{3})), Error);
  EXPECT_THROW(dense(Tensor::Scalar(1.0f)), Error);
  EXPECT_THROW(dense(Tensor()), Error);
  EXPECT_THROW(dense.Build(Shape{kUnknownDim, kUnknownDim}), Error);
  dense(Tensor::Zeros(Shape{1, 3}));
  EXPECT_THROW(dense(Tensor::Zeros(Shape{1, 4})), Error);
}

const Tensor kImage =
    Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}, Shape{1, 3, 3, 1});

TEST(MaxPooling2DTest, DefaultStrides) {
  EXPECT_EQ(MaxPooling2D()(kImage).ToVector<float>(), (Floats{5}));
  EXPECT_EQ(MaxPooling2D(2, {.strides = 1})(kImage).ToVector<float>(),
            (Floats{5, 6, 8, 9}));
  EXPECT_EQ(MaxPooling2D(2, {.padding = kernels::Padding::kSame})(kImage)
                .ToVector<float>(),
            (Floats{5, 6, 8, 9}));
  EXPECT_EQ(MaxPooling2D({3, 1})(kImage).ToVector<float>(), (Floats{7, 8, 9}));
}

TEST(MaxPooling2DTest, ComputesItsOutputShape) {
  EXPECT_EQ(MaxPooling2D().ComputeOutputShape(Shape{kUnknownDim, 26, 27, 32}),
            (Shape{kUnknownDim, 13, 13, 32}));
  EXPECT_THROW(MaxPooling2D().ComputeOutputShape(Shape{1, 26, 26}), Error);
}

TEST(MaxPooling2DTest, RefusesWrongArguments) {
  EXPECT_THROW(MaxPooling2D(0), Error);
  EXPECT_THROW(MaxPooling2D(2, {.strides = 0}), Error);
  EXPECT_THROW(MaxPooling2D(4)(kImage), Error);
}

TEST(AveragePooling2DTest, DefaultStrides) {
  EXPECT_EQ(AveragePooling2D(2)(kImage).ToVector<float>(), (Floats{3}));
  EXPECT_EQ(AveragePooling2D(2, {.strides = 1})(kImage).ToVector<float>(),
            (Floats{3, 4, 6, 7}));
  EXPECT_EQ(AveragePooling2D(2, {.padding = kernels::Padding::kSame})(kImage)
                .ToVector<float>(),
            (Floats{3, 4.5f, 7.5f, 9}));
  EXPECT_EQ(AveragePooling2D({3, 1})(kImage).ToVector<float>(),
            (Floats{4, 5, 6}));
}

TEST(AveragePooling2DTest, NamesAndShapes) {
  ClearSession();
  const AveragePooling2D pool(2);
  EXPECT_EQ(pool.name(), "average_pooling2d");
  EXPECT_EQ(pool.ComputeOutputShape(Shape{kUnknownDim, 26, 27, 32}),
            (Shape{kUnknownDim, 13, 13, 32}));
  EXPECT_THROW(pool.ComputeOutputShape(Shape{1, 26, 26}), Error);
}

TEST(AveragePooling2DTest, RefusesWrongArguments) {
  EXPECT_THROW(AveragePooling2D(0), Error);
  EXPECT_THROW(AveragePooling2D(2, {.strides = 0}), Error);
  EXPECT_THROW(AveragePooling2D(4)(kImage), Error);
}

// Two images of 2 x 2 positions and two channels.
const Tensor kImages = Tensor::FromVector<float>(
    {1, 10, 2, 20, 3, 30, 6, 40, 0, 0, 0, 0, 4, -8, 0, 0}, Shape{2, 2, 2, 2});

TEST(GlobalAveragePooling2DTest, IsTheMeanOfEachChannel) {
  GlobalAveragePooling2D pool;
  const Tensor y = pool(kImages);
  EXPECT_EQ(y.shape(), (Shape{2, 2}));
  EXPECT_EQ(y.ToVector<float>(), (Floats{3, 25, 1, -2}));
}

TEST(GlobalAveragePooling2DTest, KeepsAxes) {
  GlobalAveragePooling2D pool({.keepdims = true});
  EXPECT_EQ(pool(kImages).shape(), (Shape{2, 1, 1, 2}));
  EXPECT_EQ(pool.ComputeOutputShape(Shape{kUnknownDim, 7, 7, 2048}),
            (Shape{kUnknownDim, 1, 1, 2048}));
}

TEST(GlobalAveragePooling2DTest, DistributesTheGradient) {
  GlobalAveragePooling2D pool;
  GradientTape tape;
  tape.Watch(kImages);
  const auto gradient =
      tape.Gradient(pool(kImages), std::vector<Tensor>{kImages});
  EXPECT_EQ(gradient[0]->ToVector<float>(), Floats(16, 0.25f));
}

TEST(GlobalAveragePooling2DTest, NamesShapesAndErrors) {
  ClearSession();
  GlobalAveragePooling2D pool;
  EXPECT_EQ(pool.name(), "global_average_pooling2d");
  EXPECT_EQ(pool.ComputeOutputShape(Shape{kUnknownDim, 7, 7, 2048}),
            (Shape{kUnknownDim, 2048}));
  EXPECT_EQ(pool(Tensor::Empty(Shape{0, 3, 3, 4})).shape(), (Shape{0, 4}));
  EXPECT_THROW(pool(Tensor::Zeros(Shape{2, 3, 4})), Error);
}

const Tensor kSmallImage = Tensor::FromVector<float>({1, 2}, Shape{1, 1, 2, 1});

TEST(ZeroPadding2DTest, OneNumberForAllSides) {
  EXPECT_EQ(ZeroPadding2D()(kSmallImage).ToVector<float>(),
            (Floats{0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0}));
}

TEST(ZeroPadding2DTest, RowsColumnsAndSides) {
  EXPECT_EQ(ZeroPadding2D(Size2D(0, 1))(kSmallImage).ToVector<float>(),
            (Floats{0, 1, 2, 0}));
  const kernels::Pad2DOptions sides{.top = 1, .right = 1};
  EXPECT_EQ(ZeroPadding2D(sides)(kSmallImage).ToVector<float>(),
            (Floats{0, 0, 0, 1, 2, 0}));
}

TEST(ZeroPadding2DTest, NamesShapesAndErrors) {
  ClearSession();
  ZeroPadding2D pad(3);
  EXPECT_EQ(pad.name(), "zero_padding2d");
  EXPECT_EQ(pad.ComputeOutputShape(Shape{kUnknownDim, 224, 224, 3}),
            (Shape{kUnknownDim, 230, 230, 3}));
  EXPECT_THROW(pad(Tensor::Zeros(Shape{2, 3})), Error);
  EXPECT_THROW(pad.ComputeOutputShape(Shape{2, 3}), Error);
  EXPECT_THROW(ZeroPadding2D(-1), Error);
}

TEST(Conv2DTest, MakesKerasVariables) {
  ClearSession();
  Conv2D first(32, 3), second(64, {3, 2});
  EXPECT_EQ(first.name(), "conv2d");
  second.Build(Shape{kUnknownDim, 13, 13, 32});
  const auto variables = second.trainable_variables();
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0]->name(), "conv2d_1/kernel");
  EXPECT_EQ(variables[0]->shape(), (Shape{3, 2, 32, 64}));
  EXPECT_EQ(variables[1]->name(), "conv2d_1/bias");
  EXPECT_EQ(variables[1]->Read().ToVector<float>(), Floats(64, 0));
  ASSERT_EQ(second.trackable()->children().size(), 2u);
  EXPECT_EQ(second.trackable()->children()[0].name, "_kernel");
  EXPECT_EQ(second.trackable()->children()[1].name, "bias");
}

TEST(Conv2DTest, KnownValues) {
  Conv2D conv(1, 2,
              {.kernel_initializer = initializers::Ones(),
               .bias_initializer = initializers::Constant(-20)});
  EXPECT_EQ(conv(kImage).ToVector<float>(), (Floats{-8, -4, 4, 8}));
  Conv2D relu(1, 2,
              {.activation = Activation::kRelu,
               .kernel_initializer = initializers::Ones(),
               .bias_initializer = initializers::Constant(-20)});
  EXPECT_EQ(relu(kImage).ToVector<float>(), (Floats{0, 0, 4, 8}));
  Conv2D softmax(1, 2, {.activation = Activation::kSoftmax});
  EXPECT_EQ(softmax(kImage).ToVector<float>(), Floats(4, 1));
}

TEST(Conv2DTest, StridesAndPadding) {
  const Shape input{kUnknownDim, 28, 27, 1};
  EXPECT_EQ(Conv2D(32, 3).ComputeOutputShape(input),
            (Shape{kUnknownDim, 26, 25, 32}));
  EXPECT_EQ(
      Conv2D(32, 3, {.padding = Padding::kSame}).ComputeOutputShape(input),
      (Shape{kUnknownDim, 28, 27, 32}));
  EXPECT_EQ(Conv2D(8, 3, {.strides = {2, 3}}).ComputeOutputShape(input),
            (Shape{kUnknownDim, 13, 9, 8}));
}

TEST(Conv2DTest, WithoutBias) {
  Conv2D conv(1, 2,
              {.use_bias = false, .kernel_initializer = initializers::Ones()});
  EXPECT_EQ(conv(kImage).ToVector<float>(), (Floats{12, 16, 24, 28}));
  EXPECT_EQ(conv.variables().size(), 1u);
  EXPECT_EQ(conv.trackable()->children().size(), 1u);
}

TEST(Conv2DTest, EmptyBatch) {
  Conv2D conv(4, 3);
  EXPECT_EQ(conv(Tensor::Zeros(Shape{0, 8, 8, 2})).shape(),
            (Shape{0, 6, 6, 4}));
}

TEST(Conv2DTest, RefusesWrongArguments) {
  EXPECT_THROW(Conv2D(0, 3), Error);
  EXPECT_THROW(Conv2D(1, {3, 0}), Error);
  EXPECT_THROW(Conv2D(1, 3, {.strides = 0}), Error);
  Conv2D conv(1, 3);
  EXPECT_THROW(conv(Tensor::Zeros(Shape{2, 5})), Error);
  EXPECT_THROW(conv(Tensor::Zeros(Shape{2, 2, 2, 1})), Error);
  EXPECT_FALSE(conv.built());
}

TEST(Conv2DTest, PenaltiesOfKernelAndBias) {
  Conv2D conv(1, 2,
              {.kernel_initializer = initializers::Ones(),
               .bias_initializer = initializers::Constant(3),
               .kernel_regularizer = std::make_shared<L2>(0.5),
               .bias_regularizer = std::make_shared<L2>(1)});
  EXPECT_TRUE(conv.losses().empty());
  conv(kImage);
  const auto losses = conv.losses();
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[0].item<float>(), 2);
  EXPECT_EQ(losses[1].item<float>(), 9);
}

}  // namespace
}  // namespace lockstep
