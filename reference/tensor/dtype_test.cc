#include "reference/tensor/dtype.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/tensor/narrow_float.h"
#include "reference/tensor/nest.h"
#include "reference/tensor/shape.h"
#include "reference/tensor/tensor.h"

namespace lockstep {
namespace {

constexpr std::array kAll = {DType::kFloat32, DType::kFloat64, DType::kBFloat16,
                             DType::kFloat16, DType::kInt32,   DType::kInt64,
                             DType::kUInt8,   DType::kBool,    DType::kString};

TEST(DTypeTest, NamesRoundTrip) {
  constexpr std::array kNames = {"float32", "float64", "bfloat16",
                                 "float16", "int32",   "int64",
                                 "uint8",   "bool",    "string"};
  for (size_t i = 0; i < kAll.size(); ++i) {
    EXPECT_EQ(DTypeName(kAll[i]), kNames[i]);
    EXPECT_EQ(ParseDType(kNames[i]), kAll[i]);
  }
}

TEST(DTypeTest, RefusesOtherNames) {
  for (const char* name : {"", "float", "Float32", "complex64"}) {
    try {
      ParseDType(name);
      FAIL() << "parsed " << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
    }
  }
}

TEST(DTypeTest, SizeKindAndVisitorAgree) {
  for (const DType dtype : kAll) {
    VisitDType(dtype, [&]<typename T>() {
      EXPECT_EQ(kDTypeOf<T>, dtype);
      EXPECT_EQ(DTypeSize(dtype), sizeof(T));
      EXPECT_EQ(IsFloating(dtype), kIsFloat<T>);
      EXPECT_EQ(IsNarrowFloat(dtype), kIsNarrowFloat<T>);
      EXPECT_EQ(IsInteger(dtype),
                (std::is_integral_v<T> && !std::is_same_v<T, bool>));
    });
  }
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The value of 16 bits, by the definition of IEEE 754's formats.
template <typename Narrow>
struct Format;
template <>
struct Format<BFloat16> {
  static constexpr int kFraction = 7, kBias = 127;
};
template <>
struct Format<Float16> {
  static constexpr int kFraction = 10, kBias = 15;
};

template <typename Narrow>
double Meaning(int bits) {
  using F = Format<Narrow>;
  const int fraction = bits & ((1 << F::kFraction) - 1);
  const int exponent = (bits & 0x7fff) >> F::kFraction;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0x7fff >> F::kFraction) {
    return fraction == 0 ? sign * kInfinity : std::nan("");
  }
  const double significand =
      exponent == 0 ? fraction : fraction + (1 << F::kFraction);
  return sign * std::ldexp(significand,
                           std::max(exponent, 1) - F::kBias - F::kFraction);
}

template <typename Narrow>
int Infinity() {
  return 0x7fff >> Format<Narrow>::kFraction << Format<Narrow>::kFraction;
}

template <typename Narrow>
class NarrowFloatTest : public testing::Test {};
using Formats = testing::Types<BFloat16, Float16>;
TYPED_TEST_SUITE(NarrowFloatTest, Formats);

TYPED_TEST(NarrowFloatTest, All65536RoundTrip) {
  for (int bits = 0; bits < 65536; ++bits) {
    const auto narrow = std::bit_cast<TypeParam>(static_cast<uint16_t>(bits));
    const double meaning = Meaning<TypeParam>(bits);
    if (std::isnan(meaning)) {
      ASSERT_TRUE(std::isnan(static_cast<float>(narrow))) << bits;
      const TypeParam back(static_cast<float>(narrow));
      ASSERT_TRUE(std::isnan(static_cast<double>(back))) << bits;
      ASSERT_EQ(back.bits() & 0x8000, bits & 0x8000) << bits;
      continue;
    }
    ASSERT_EQ(static_cast<double>(narrow), meaning) << bits;
    ASSERT_EQ(std::signbit(static_cast<float>(narrow)), bits >= 0x8000);
    ASSERT_EQ(TypeParam(static_cast<float>(narrow)).bits(), bits);
    ASSERT_EQ(TypeParam(meaning).bits(), bits);
  }
}

// Between any two neighbours: the middle rounds to the even one, everything
// else to the nearer one, from float and from double.
TYPED_TEST(NarrowFloatTest, TiesRoundToEven) {
  for (int bits = 0; bits + 1 < Infinity<TypeParam>(); ++bits) {
    const double low = Meaning<TypeParam>(bits);
    const double high = Meaning<TypeParam>(bits + 1);
    const double middle = (low + high) / 2;
    const int even = bits % 2 == 0 ? bits : bits + 1;
    for (const int sign : {0, 0x8000}) {
      const double s = sign == 0 ? 1 : -1;
      ASSERT_EQ(TypeParam(s * middle).bits(), even | sign) << middle;
      ASSERT_EQ(TypeParam(s * std::nextafter(middle, low)).bits(), bits | sign);
      ASSERT_EQ(TypeParam(s * std::nextafter(middle, high)).bits(),
                (bits + 1) | sign);
      const float half = static_cast<float>(s * middle);  // exact
      ASSERT_EQ(TypeParam(half).bits(), even | sign);
      ASSERT_EQ(
          TypeParam(std::nextafterf(half, static_cast<float>(s * low))).bits(),
          bits | sign);
      ASSERT_EQ(
          TypeParam(std::nextafterf(half, static_cast<float>(s * high))).bits(),
          (bits + 1) | sign);
    }
  }
}

TYPED_TEST(NarrowFloatTest, OverflowsPastTheMiddle) {
  const int largest = Infinity<TypeParam>() - 1;
  const double step =
      Meaning<TypeParam>(largest) - Meaning<TypeParam>(largest - 1);
  const double middle = Meaning<TypeParam>(largest) + step / 2;
  EXPECT_EQ(TypeParam(std::nextafter(middle, 0)).bits(), largest);
  EXPECT_EQ(TypeParam(middle).bits(), Infinity<TypeParam>());
  EXPECT_EQ(TypeParam(1e300).bits(), Infinity<TypeParam>());
  EXPECT_EQ(TypeParam(-kInfinity).bits(), Infinity<TypeParam>() | 0x8000);
}

TYPED_TEST(NarrowFloatTest, UnderflowsBelowHalfTheSmallest) {
  const double smallest = Meaning<TypeParam>(1);
  EXPECT_EQ(TypeParam(smallest / 2).bits(), 0);
  EXPECT_EQ(TypeParam(std::nextafter(smallest / 2, 1)).bits(), 1);
  EXPECT_EQ(TypeParam(-smallest / 2).bits(), 0x8000);
  EXPECT_EQ(TypeParam(-1e-300).bits(), 0x8000);
}

TYPED_TEST(NarrowFloatTest, NanStaysNan) {
  const float quiet = std::numeric_limits<float>::quiet_NaN();
  const float low_payload = std::bit_cast<float>(0xff800001u);
  for (const float nan : {quiet, -quiet, low_payload}) {
    EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(nan))));
    EXPECT_TRUE(
        std::isnan(static_cast<float>(TypeParam(static_cast<double>(nan)))));
  }
  EXPECT_FALSE(TypeParam(quiet) == TypeParam(quiet));
}

TYPED_TEST(NarrowFloatTest, SimpleValues) {
  constexpr int kFraction = Format<TypeParam>::kFraction;
  const double half_step = std::ldexp(1, -kFraction - 1);
  EXPECT_EQ(static_cast<double>(TypeParam(1 + half_step)), 1);
  EXPECT_EQ(static_cast<double>(TypeParam(1 + 3 * half_step)),
            1 + 4 * half_step);
  EXPECT_EQ(static_cast<bool>(TypeParam(0.0f)), false);
  EXPECT_EQ(static_cast<bool>(TypeParam(half_step)), true);
  EXPECT_EQ(static_cast<int>(TypeParam(-2.75f)), -2);
  EXPECT_EQ(static_cast<float>(TypeParam(true)), 1);
  EXPECT_TRUE(TypeParam(0.0f) == TypeParam(-0.0f));
  EXPECT_TRUE(TypeParam(-1) < TypeParam(0));
}

TEST(BFloat16Test, ArithmeticRoundsEachOperation) {
  EXPECT_EQ(static_cast<float>(BFloat16(256) + BFloat16(1)), 256);
  EXPECT_EQ(static_cast<float>(BFloat16(256) + BFloat16(3)), 260);
  EXPECT_EQ(static_cast<float>(BFloat16(256) - BFloat16(1)), 255);
  EXPECT_EQ(static_cast<float>(BFloat16(1) / BFloat16(3)), 0.333984375f);
}

TEST(Float16Test, ArithmeticRoundsEachOperation) {
  EXPECT_EQ(static_cast<float>(Float16(2048) + Float16(1)), 2048);
  EXPECT_EQ(static_cast<float>(Float16(65504) + Float16(16)), kInfinity);
  EXPECT_EQ(static_cast<float>(Float16(1) / Float16(3)), 0.333251953125f);
}

// 2^62 + 2^54 is in the middle of two; one more, and the upper is nearer. A
// double cannot distinguish the two.
TEST(BFloat16Test, LongIntegersRoundOnce) {
  const int64_t middle = (int64_t{1} << 62) + (int64_t{1} << 54);
  const double low = std::ldexp(1, 62);
  EXPECT_EQ(static_cast<double>(BFloat16(middle)), low);
  EXPECT_EQ(static_cast<double>(BFloat16(middle + 1)), low + std::ldexp(1, 55));
  EXPECT_EQ(static_cast<double>(BFloat16(-middle)), -low);
  EXPECT_EQ(static_cast<double>(BFloat16(-middle - 1)),
            -low - std::ldexp(1, 55));
  EXPECT_EQ(static_cast<double>(BFloat16(std::numeric_limits<int64_t>::min())),
            -std::ldexp(1, 63));
}

TEST(ShapeTest, RankDimensionsAndElements) {
  const Shape shape{64, 28, 28, 1};
  EXPECT_EQ(shape.rank(), 4);
  EXPECT_EQ(shape[1], 28);
  EXPECT_EQ(shape.num_elements(), 50176);
  EXPECT_EQ(Shape{}.rank(), 0);
  EXPECT_EQ(Shape{}.num_elements(), 1);
  EXPECT_EQ((Shape{3, 0}).num_elements(), 0);
}

TEST(ShapeTest, EqualityComparesRankAndDimensions) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{2}), (Shape{2, 0}));
  EXPECT_EQ((Shape{7, 2, 3}).Tail(), (Shape{2, 3}));
}

TEST(ShapeTest, Changes) {
  const Shape shape{4, 28};
  EXPECT_EQ(shape.WithDim(0, 5), (Shape{5, 28}));
  EXPECT_EQ(shape.Tail(), (Shape{28}));
  EXPECT_EQ(shape.Prepend(2), (Shape{2, 4, 28}));
  EXPECT_EQ(Shape{}.Prepend(2), (Shape{2}));
  EXPECT_EQ(shape, (Shape{4, 28}));
}

TEST(ShapeTest, UnknownDimensions) {
  EXPECT_TRUE((Shape{1, 2}).fully_defined());
  EXPECT_TRUE(Shape{}.fully_defined());
  EXPECT_FALSE((Shape{kUnknownDim, 2}).fully_defined());
}

TEST(ShapeTest, PrintsAsATuple) {
  EXPECT_EQ(ToString(Shape{}), "()");
  EXPECT_EQ(ToString(Shape{5}), "(5,)");
  EXPECT_EQ(ToString(Shape{2, 3}), "(2, 3)");
  EXPECT_EQ(ToString(Shape{kUnknownDim, 3}), "(None, 3)");
}

TEST(ShapeTest, RefusesTooManyAndNegativeDimensions) {
  const std::vector<int64_t> eight(8, 1), nine(9, 1);
  EXPECT_EQ(Shape(eight).rank(), 8);
  EXPECT_THROW(Shape{nine}, Error);
  EXPECT_THROW(Shape(eight).Prepend(1), Error);
  try {
    Shape shape{2, -2};
    FAIL() << "took a negative dimension";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
  }
}

TEST(TensorSpecTest, DescribesATensor) {
  const TensorSpec spec = SpecOf(Tensor::Zeros(Shape{2, 3}, DType::kInt64));
  EXPECT_EQ(spec, (TensorSpec{Shape{2, 3}, DType::kInt64}));
  EXPECT_NE(spec, (TensorSpec{Shape{2, 3}, DType::kFloat32}));
  EXPECT_NE(spec, (TensorSpec{Shape{3, 2}, DType::kInt64}));
}

TEST(TensorSpecTest, PrintsNoneForUnknownDimensions) {
  EXPECT_EQ(ToString(TensorSpec{Shape{kUnknownDim, 28}, DType::kUInt8}),
            "uint8 (None, 28)");
}

using Numbers = Nest<int>;

Numbers Example() {
  return Numbers::Dict(
      {{"y", 3}, {"x", Numbers::Tuple({1, Numbers::Tuple({2})})}});
}

TEST(NestTest, LeafIsANest) {
  const Numbers leaf = 7;
  EXPECT_TRUE(leaf.is_leaf());
  EXPECT_EQ(leaf.leaf(), 7);
  EXPECT_EQ(leaf.Flatten(), std::vector<int>{7});
  EXPECT_EQ(Numbers().leaf(), 0);
}

TEST(NestTest, ItemsByIndexAndKey) {
  const Numbers nest = Example();
  EXPECT_EQ(nest.kind(), NestKind::kDict);
  EXPECT_EQ(nest["y"].leaf(), 3);
  EXPECT_EQ(nest["x"][1][0].leaf(), 2);
  EXPECT_EQ(nest["x"].size(), 2u);
}

TEST(NestTest, DictionariesAreSortedByKey) {
  EXPECT_EQ(Example().keys(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(Example().Flatten(), (std::vector<int>{1, 2, 3}));
}

TEST(NestTest, MapKeepsTheForm) {
  const auto text =
      Example().Map<std::string>([](int i) { return std::to_string(i * 2); });
  EXPECT_EQ(text.Flatten(), (std::vector<std::string>{"2", "4", "6"}));
  EXPECT_TRUE(text.SameFormAs(Example()));
  EXPECT_EQ(text["x"][1][0].leaf(), "4");
}

TEST(NestTest, UpdatesLeavesInPlace) {
  Numbers nest = Example();
  nest.Update([](int& leaf) { leaf *= 2; });
  EXPECT_EQ(nest.Flatten(), (std::vector<int>{2, 4, 6}));
  EXPECT_TRUE(nest.SameFormAs(Example()));
  Numbers leaf(1);
  leaf.Update([](int& value) { value = 5; });
  EXPECT_EQ(leaf.leaf(), 5);
}

TEST(NestTest, PackLikeIsTheInverseOfFlatten) {
  const Numbers nest = Example();
  const Numbers packed = nest.PackLike(std::vector<int>{4, 5, 6});
  EXPECT_EQ(packed["x"][0].leaf(), 4);
  EXPECT_EQ(packed.Flatten(), (std::vector<int>{4, 5, 6}));
  EXPECT_EQ(CodeOf([&] { nest.PackLike(std::vector<int>{1}); }),
            Code::kInvalidArgument);
}

TEST(NestTest, FormsDifferInKindKeysAndSizes) {
  EXPECT_FALSE(Numbers(1).SameFormAs(Numbers::Tuple({1})));
  EXPECT_FALSE(Numbers::Tuple({1}).SameFormAs(Numbers::Tuple({1, 2})));
  EXPECT_FALSE(Numbers::Dict({{"a", 1}}).SameFormAs(Numbers::Dict({{"b", 1}})));
  EXPECT_FALSE(Numbers::Tuple({1}).SameFormAs(Numbers::Dict({{"0", 1}})));
  EXPECT_FALSE(
      Numbers::Tuple({Numbers::Tuple({1})}).SameFormAs(Numbers::Tuple({1})));
  EXPECT_TRUE(Numbers::Tuple({}).SameFormAs(Numbers::Tuple({})));
}

TEST(NestTest, MissingItemsAreTypedErrors) {
  EXPECT_EQ(CodeOf([] { Example()["z"]; }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Example()["x"][2]; }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Numbers(1)[0]; }), Code::kInvalidArgument);
  ExpectError([] { Example().leaf(); }, Code::kInvalidArgument,
              "[Nest] wanted a leaf, got a dictionary of 2 items");
  ExpectError([] { Numbers::Tuple({1}).leaf() = 2; }, Code::kInvalidArgument,
              "[Nest] wanted a leaf, got a tuple of 1 items");
}

TEST(NestTest, StructuresHoldTensors) {
  const Structure element = Structure::Tuple(
      {Tensor::Zeros(Shape{2, 28}), Tensor::FromVector<int64_t>({1, 0})});
  const auto specs = element.Map<TensorSpec>(SpecOf);
  EXPECT_EQ(specs[0].leaf(), (TensorSpec{Shape{2, 28}, DType::kFloat32}));
  EXPECT_EQ(specs[1].leaf(), (TensorSpec{Shape{2}, DType::kInt64}));
}

}  // namespace
}  // namespace lockstep
