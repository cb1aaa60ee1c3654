#include "reference/layers/activation.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

TEST(ActivationTest, NamesParseBack) {
  for (const Activation activation :
       {Activation::kLinear, Activation::kRelu, Activation::kSigmoid,
        Activation::kSoftmax, Activation::kTanh}) {
    EXPECT_EQ(ParseActivation(ActivationName(activation)), activation);
  }
  EXPECT_EQ(ActivationName(Activation::kSoftmax), "softmax");
  EXPECT_EQ(ParseActivation("relu"), Activation::kRelu);
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

}  // namespace
}  // namespace lockstep
