// The formulas that GPU kernels use, against the host's kernels, which compute
// with vectors: the same bits, on the same machine.
#include "reference/kernels/cuda/element_math.h"

#include <gtest/gtest.h>

#include <string>

#include "reference/kernels/binary.h"
#include "reference/kernels/clip.h"
#include "reference/kernels/kernel_cases.h"
#include "reference/kernels/relu.h"
#include "reference/kernels/unary.h"

namespace lockstep::kernels {
namespace {

const Shape kShape{4001};

template <typename T, class Formula>
void ExpectSame(const char* what, const Tensor& wanted,
                const Formula& formula) {
  std::vector<T> values;
  for (int64_t i = 0; i < wanted.num_elements(); ++i) {
    values.push_back(formula(i));
  }
  EXPECT_EQ(Difference({Tensor::FromVector(values)}, {wanted}, 0), "") << what;
}

using Unary = Tensor (*)(const Tensor&);

template <typename T>
void ExpectUnary(const char* what, cuda::UnaryOp op, Unary kernel) {
  const Tensor x = Awkward<T>(kShape);
  ExpectSame<T>(what, kernel(x),
                [&](int64_t i) { return cuda::Apply(op, x.at<T>(i)); });
}

template <typename T>
void ExpectAnyType() {
  ExpectUnary<T>("Negate", cuda::UnaryOp::kNegate, &Negate);
  ExpectUnary<T>("Abs", cuda::UnaryOp::kAbs, &Abs);
  ExpectUnary<T>("Square", cuda::UnaryOp::kSquare, &Square);
  ExpectUnary<T>("Sign", cuda::UnaryOp::kSign, &Sign);
}

template <typename T>
void ExpectFloating() {
  ExpectUnary<T>("Sqrt", cuda::UnaryOp::kSqrt, &Sqrt);
  ExpectUnary<T>("Exp", cuda::UnaryOp::kExp, &Exp);
  ExpectUnary<T>("Log", cuda::UnaryOp::kLog, &Log);
  ExpectUnary<T>("Sigmoid", cuda::UnaryOp::kSigmoid, &Sigmoid);
  ExpectUnary<T>("Tanh", cuda::UnaryOp::kTanh, &Tanh);
  ExpectUnary<T>("Relu", cuda::UnaryOp::kRelu, &Relu);
}

TEST(ElementMathTest, UnaryFormulasAreTheHosts) {
  ExpectAnyType<float>();
  ExpectAnyType<double>();
  ExpectAnyType<int32_t>();
  ExpectAnyType<int64_t>();
  ExpectFloating<float>();
  ExpectFloating<double>();
}

template <typename T>
void ExpectBinary() {
  const Tensor a = Awkward<T>(kShape, 1);
  const Tensor b = Awkward<T>(kShape, 2);
  const auto with = [&](cuda::BinaryOp op) {
    return [&a, &b, op](int64_t i) {
      return cuda::Apply(op, a.at<T>(i), b.at<T>(i));
    };
  };
  ExpectSame<T>("Add", Add(a, b), with(cuda::BinaryOp::kAdd));
  ExpectSame<T>("Subtract", Subtract(a, b), with(cuda::BinaryOp::kSubtract));
  ExpectSame<T>("Multiply", Multiply(a, b), with(cuda::BinaryOp::kMultiply));
  if constexpr (std::is_floating_point_v<T>) {
    ExpectSame<T>("Divide", Divide(a, b), with(cuda::BinaryOp::kDivide));
  }
}

TEST(ElementMathTest, BinaryFormulasAreTheHosts) {
  ExpectBinary<float>();
  ExpectBinary<double>();
  ExpectBinary<int32_t>();
  ExpectBinary<int64_t>();
}

template <typename T>
void ExpectMasked() {
  const Tensor x = Awkward<T>(kShape, 1);
  const Tensor dy = Awkward<T>(kShape, 2);
  const T low = static_cast<T>(-0.3);
  const T high = static_cast<T>(0.7);
  ExpectSame<T>("ReluBackward", ReluBackward(x, dy), [&](int64_t i) {
    return cuda::ReluGradient(x.at<T>(i), dy.at<T>(i));
  });
  ExpectSame<T>("Clip", Clip(x, -0.3, 0.7),
                [&](int64_t i) { return cuda::ClipOf(x.at<T>(i), low, high); });
  ExpectSame<T>("ClipBackward", ClipBackward(x, dy, -0.3, 0.7), [&](int64_t i) {
    return cuda::ClipGradient(x.at<T>(i), dy.at<T>(i), low, high);
  });
}

TEST(ElementMathTest, MasksAreTheHosts) {
  ExpectMasked<float>();
  ExpectMasked<double>();
}

}  // namespace
}  // namespace lockstep::kernels
