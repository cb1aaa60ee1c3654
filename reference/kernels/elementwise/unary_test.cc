#include "reference/kernels/elementwise/unary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "reference/base/error.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/elementwise/element_math.h"
#include "reference/kernels/testing/kernel_cases.h"
#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(UnaryTest, SimpleOperations) {
  const auto check = []<typename T>(T) {
    // Long enough for whole vectors and a remainder.
    std::vector<T> x, negative, positive, square, sign;
    for (int i = -20; i < 21; ++i) {
      x.push_back(static_cast<T>(i));
      negative.push_back(static_cast<T>(-i));
      positive.push_back(static_cast<T>(i < 0 ? -i : i));
      square.push_back(static_cast<T>(i * i));
      sign.push_back(static_cast<T>((i > 0) - (i < 0)));
    }
    const Tensor tensor = Tensor::FromVector<T>(x);
    EXPECT_EQ(Negate(tensor).template ToVector<T>(), negative);
    EXPECT_EQ(Abs(tensor).template ToVector<T>(), positive);
    EXPECT_EQ(Square(tensor).template ToVector<T>(), square);
    EXPECT_EQ(Sign(tensor).template ToVector<T>(), sign);
  };
  ForEachInstructionSet([&] {
    check(float{});
    check(double{});
    check(int32_t{});
    check(int64_t{});
  });
}

TEST(UnaryTest, SmallestIntegerWrapsAround) {
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(Negate(Tensor::Scalar(least)).item<int64_t>(), least);
  EXPECT_EQ(Abs(Tensor::Scalar(least)).item<int64_t>(), least);
}

TEST(UnaryTest, SignOfNaNIsNaN) {
  EXPECT_TRUE(std::isnan(Sign(Tensor::Scalar(std::nanf(""))).item<float>()));
}

TEST(UnaryTest, RootsAreCorrectlyRounded) {
  const Tensor x = Tensor::FromVector<float>({0, 1, 2, 4, 9, -1});
  const Tensor y = Sqrt(x);
  EXPECT_EQ(y.at<float>(2), 1.41421354f);
  EXPECT_EQ(y.at<float>(4), 3);
  EXPECT_TRUE(std::isnan(y.at<float>(5)));
}

TEST(UnaryTest, KnownValues) {
  const Tensor x = Tensor::FromVector<double>({0, 1});
  EXPECT_DOUBLE_EQ(Exp(x).at<double>(1), 2.718281828459045);
  EXPECT_EQ(Log(x).at<double>(0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(Log(x).at<double>(1), 0);
  EXPECT_EQ(Sigmoid(x).at<double>(0), 0.5);
  EXPECT_DOUBLE_EQ(Sigmoid(x).at<double>(1), 0.7310585786300049);
  EXPECT_DOUBLE_EQ(Tanh(x).at<double>(1), 0.7615941559557649);
}

// The largest error of a function in units in the last place, over `steps`
// numbers between low and high, compared with the C library's in a wider type.
template <typename T, class Function>
double WorstError(Tensor (*kernel)(const Tensor&), const Function& exact, T low,
                  T high) {
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  constexpr int kSteps = 100003;
  std::vector<T> x(kSteps);
  for (int i = 0; i < kSteps; ++i) x[i] = low + (high - low) / kSteps * i;
  const std::vector<T> y = kernel(Tensor::FromVector(x)).template ToVector<T>();
  double worst = 0;
  for (int i = 0; i < kSteps; ++i) {
    const Wide wanted = exact(static_cast<Wide>(x[i]));
    const T nearest = std::abs(static_cast<T>(wanted));
    const T unit =
        std::nextafter(nearest, std::numeric_limits<T>::infinity()) - nearest;
    const Wide error = std::abs(static_cast<Wide>(y[i]) - wanted) / unit;
    worst = std::max(worst, static_cast<double>(error));
  }
  return worst;
}

// Highway documents 1 unit for exp, 4 for the others.
template <typename T>
void ExpectAccurate(T largest) {
  const auto exp = [](auto x) { return std::exp(x); };
  const auto log = [](auto x) { return std::log(x); };
  const auto tanh = [](auto x) { return std::tanh(x); };
  const auto sigmoid = [](auto x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_LE(WorstError<T>(Exp, exp, -largest, largest), 1.1);
  EXPECT_LE(WorstError<T>(Exp, exp, -1, 1), 1.1);
  EXPECT_LE(WorstError<T>(Log, log, T{1} / 1024, 8), 1.1);
  EXPECT_LE(WorstError<T>(Sigmoid, sigmoid, -30, 30), 2.5);
  EXPECT_LE(WorstError<T>(Tanh, tanh, -8, 8), 3.2);
  EXPECT_LE(WorstError<T>(Tanh, tanh, T{-1} / 1024, T{1} / 1024), 3.2);
}

TEST(UnaryTest, ExponentialFunctionsAreAccurate) {
  ForEachInstructionSet([] {
    ExpectAccurate<float>(87);
    ExpectAccurate<double>(700);
  });
}

// In every lane of a vector, and in the remainder.
template <typename T>
void ExpectAtEdges(Tensor (*kernel)(const Tensor&), const std::vector<T>& x,
                   const std::vector<T>& wanted) {
  for (size_t at = 0; at < x.size(); ++at) {
    const Tensor y = kernel(Tensor::Full(Shape{19}, x[at]));
    for (int64_t i = 0; i < 19; ++i) {
      const T got = y.at<T>(i);
      EXPECT_TRUE(got == wanted[at] || (got != got && wanted[at] != wanted[at]))
          << x[at] << " gives " << got << ", wanted " << wanted[at];
    }
  }
}

template <typename T>
void ExpectEdges() {
  constexpr T kInf = std::numeric_limits<T>::infinity();
  constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
  constexpr T kMost = std::numeric_limits<T>::max();
  ExpectAtEdges<T>(Exp, {0, kInf, -kInf, kNaN, 800, kMost, -kMost},
                   {1, kInf, 0, kNaN, kInf, kInf, 0});
  ExpectAtEdges<T>(Log, {1, 0, -T{0}, -1, kInf, -kInf, kNaN},
                   {0, -kInf, -kInf, kNaN, kInf, kNaN, kNaN});
  ExpectAtEdges<T>(Sigmoid, {0, kInf, -kInf, kNaN, kMost, -kMost},
                   {0.5, 1, 0, kNaN, 1, 0});
  ExpectAtEdges<T>(Tanh, {0, kInf, -kInf, kNaN, kMost, -kMost},
                   {0, 1, -1, kNaN, 1, -1});
}

TEST(UnaryTest, NonFiniteValuesAreAsInC) {
  ForEachInstructionSet([] {
    ExpectEdges<float>();
    ExpectEdges<double>();
  });
}

TEST(UnaryTest, LanesAreIndependent) {
  const Tensor x = Fractions(Shape{41}, 3);
  ForEachInstructionSet([&] {
    for (const auto kernel : {Exp, Log, Sigmoid, Tanh}) {
      const Tensor y = kernel(x);
      for (int64_t i = 0; i < 41; ++i) {
        const Tensor alone = kernel(Tensor::Scalar(x.at<float>(i)));
        EXPECT_TRUE(BitwiseEqual(alone, Tensor::Scalar(y.at<float>(i))));
      }
    }
  });
}

TEST(UnaryTest, FusingInstructionSetsAgree) {
  const Tensor x = Fractions(Shape{1003}, 3);
  for (const auto kernel : {Exp, Log, Sigmoid, Tanh}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      Tensor first;
      ForEachFusingInstructionSet([&] {
        const Tensor y = kernel(x.Cast(dtype));
        if (!first.defined()) first = y;
        EXPECT_TRUE(BitwiseEqual(y, first));
      });
    }
  }
}

TEST(UnaryTest, SigmoidNeverOverflows) {
  const Tensor y = Sigmoid(Tensor::FromVector<float>({-1000, 1000}));
  EXPECT_EQ(y.ToVector<float>(), (std::vector<float>{0, 1}));
}

TEST(UnaryTest, TeamsAgree) {
  const Tensor x = Fractions(Shape{40000}, 1);
  const Tensor exp = Exp(x);
  const Tensor square = Square(x);
  ForEachTeam([&] {
    EXPECT_TRUE(BitwiseEqual(Exp(x), exp));
    EXPECT_TRUE(BitwiseEqual(Square(x), square));
  });
}

TEST(UnaryTest, RefusesOtherTypes) {
  const Tensor integers = Tensor::Zeros(Shape{2}, DType::kInt32);
  ExpectInvalid([&] { Sqrt(integers); }, "[Sqrt] x must be float32 or float64");
  ExpectInvalid([&] { Exp(integers); }, "[Exp]");
  ExpectInvalid([&] { Negate(integers.Cast(DType::kUInt8)); }, "got uint8");
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(ReluTest, CutsNegativeElements) {
  ForEachInstructionSet([] {
    const Tensor x =
        Tensor::FromVector<float>({-1, 0, 2, -kInfinity, kInfinity});
    EXPECT_EQ(Relu(x).ToVector<float>(),
              (std::vector<float>{0, 0, 2, 0, kInfinity}));
    EXPECT_EQ(Relu(x.Cast(DType::kFloat64)).at<double>(2), 2);
    EXPECT_TRUE(std::isnan(Relu(Tensor::Scalar(std::nanf(""))).item<float>()));
  });
}

TEST(ReluTest, Gradient) {
  const Tensor y = Tensor::FromVector<float>({0, 0, 2, std::nanf("")});
  const Tensor dy = Tensor::FromVector<float>({5, std::nanf(""), 7, 8});
  EXPECT_EQ(ReluBackward(y, dy).ToVector<float>(),
            (std::vector<float>{0, 0, 7, 0}));
}

TEST(ReluTest, LargeTensors) {
  const Tensor x = SmallIntegers(Shape{50001}, 1);
  ForEachTeam([&] {
    const Tensor y = Relu(x);
    const Tensor dx = ReluBackward(y, x);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const float wanted = x.at<float>(i) > 0 ? x.at<float>(i) : 0;
      ASSERT_EQ(y.at<float>(i), wanted);
      ASSERT_EQ(dx.at<float>(i), wanted);
    }
  });
}

TEST(ReluTest, RefusesWrongArguments) {
  const Tensor x = Tensor::Zeros(Shape{2});
  ExpectInvalid([&] { Relu(x.Cast(DType::kInt32)); }, "[Relu]");
  ExpectInvalid([&] { ReluBackward(x, Tensor::Zeros(Shape{3})); },
                "types and shapes must agree");
}

TEST(ClipTest, LimitsElements) {
  const Tensor x = Tensor::FromVector<float>({-1, 0, 0.5, 1, 2});
  EXPECT_EQ(Clip(x, 0, 1).ToVector<float>(),
            (std::vector<float>{0, 0, 0.5, 1, 1}));
  EXPECT_EQ(Clip(x.Cast(DType::kFloat64), -0.5, 0.25).ToVector<double>(),
            (std::vector<double>{-0.5, 0, 0.25, 0.25, 0.25}));
  EXPECT_EQ(Clip(Tensor::Zeros(Shape{0}), 0, 1).num_elements(), 0);
}

TEST(ClipTest, NaNAndInfinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor x = Tensor::FromVector<float>({NAN, infinity, -infinity});
  const Tensor y = Clip(x, -2, 3);
  EXPECT_TRUE(std::isnan(y.at<float>(0)));
  EXPECT_EQ(y.at<float>(1), 3);
  EXPECT_EQ(y.at<float>(2), -2);
}

TEST(ClipTest, Gradient) {
  const Tensor x = Tensor::FromVector<float>({-1, 0, 0.5, 1, 2});
  const Tensor dy = Tensor::FromVector<float>({5, 6, 7, 8, 9});
  EXPECT_EQ(ClipBackward(x, dy, 0, 1).ToVector<float>(),
            (std::vector<float>{0, 6, 7, 8, 0}));
}

TEST(ClipTest, RefusesWrongArguments) {
  const Tensor x = Tensor::FromVector<float>({1});
  EXPECT_THROW(Clip(x, 1, 0), Error);
  EXPECT_THROW(Clip(x, NAN, 1), Error);
  EXPECT_THROW(Clip(Tensor::FromVector<int32_t>({1}), 0, 1), Error);
  EXPECT_THROW(ClipBackward(x, Tensor::Zeros(Shape{2}), 0, 1), Error);
}

}  // namespace

// Compares the formulas of GPU kernels with the host's kernels, which use
// vectors: the bits are equal, except for exponential functions, where the host
// uses Highway's.

namespace {

const Shape kShape{4001};

template <typename T, class Formula>
void ExpectSame(const char* what, const Tensor& wanted, const Formula& formula,
                double ulps = 0) {
  std::vector<T> values;
  for (int64_t i = 0; i < wanted.num_elements(); ++i) {
    values.push_back(formula(i));
  }
  EXPECT_EQ(Difference({Tensor::FromVector(values)}, {wanted}, ulps), "")
      << what;
}

using Unary = Tensor (*)(const Tensor&);

template <typename T>
void ExpectUnary(const char* what, cuda::UnaryOp op, Unary kernel,
                 double ulps = 0) {
  const Tensor x = Awkward<T>(kShape);
  ExpectSame<T>(
      what, kernel(x), [&](int64_t i) { return cuda::Apply(op, x.at<T>(i)); },
      ulps);
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
  ExpectUnary<T>("Exp", cuda::UnaryOp::kExp, &Exp, 2);
  ExpectUnary<T>("Log", cuda::UnaryOp::kLog, &Log, 2);
  ExpectUnary<T>("Sigmoid", cuda::UnaryOp::kSigmoid, &Sigmoid, 3);
  ExpectUnary<T>("Tanh", cuda::UnaryOp::kTanh, &Tanh, 4);
  ExpectUnary<T>("Relu", cuda::UnaryOp::kRelu, &Relu);
}

TEST(ElementMathTest, UnaryEqualsTheHost) {
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

TEST(ElementMathTest, BinaryEqualsTheHost) {
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

TEST(ElementMathTest, MasksEqualTheHost) {
  ExpectMasked<float>();
  ExpectMasked<double>();
}

}  // namespace
}  // namespace lockstep::kernels
