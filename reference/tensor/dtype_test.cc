#include "reference/tensor/dtype.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/base/error.h"
#include "reference/tensor/narrow_float.h"

namespace lockstep {
namespace {

constexpr std::array kAll = {DType::kFloat32, DType::kFloat64, DType::kBFloat16,
                             DType::kFloat16, DType::kInt32,   DType::kInt64,
                             DType::kUInt8,   DType::kBool,    DType::kString};

TEST(DTypeTest, NamesAreTensorFlowsAndParseBack) {
  constexpr std::array kNames = {"float32", "float64", "bfloat16",
                                 "float16", "int32",   "int64",
                                 "uint8",   "bool",    "string"};
  for (size_t i = 0; i < kAll.size(); ++i) {
    EXPECT_EQ(DTypeName(kAll[i]), kNames[i]);
    EXPECT_EQ(ParseDType(kNames[i]), kAll[i]);
  }
}

TEST(DTypeTest, OtherNamesAreInvalid) {
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

// What the 16 bits say, by the definition of IEEE 754's formats.
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

TYPED_TEST(NarrowFloatTest, All65536MeanWhatTheFormatSaysAndComeBack) {
  for (int bits = 0; bits < 65536; ++bits) {
    const auto narrow = TypeParam::FromBits(static_cast<uint16_t>(bits));
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

// Between each two neighbours: the middle goes to the even one, everything on
// either side of it to the nearer, both from float and from double.
TYPED_TEST(NarrowFloatTest, EveryTieGoesToTheEvenNeighbour) {
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

TYPED_TEST(NarrowFloatTest, OverflowsWhereTheNextNumberWouldBeNearer) {
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

TYPED_TEST(NarrowFloatTest, NanStaysNanWithoutPayloadInTheKeptBits) {
  const float quiet = std::numeric_limits<float>::quiet_NaN();
  const float low_payload = std::bit_cast<float>(0xff800001u);
  for (const float nan : {quiet, -quiet, low_payload}) {
    EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(nan))));
    EXPECT_TRUE(
        std::isnan(static_cast<float>(TypeParam(static_cast<double>(nan)))));
  }
  EXPECT_FALSE(TypeParam(quiet) == TypeParam(quiet));
}

TYPED_TEST(NarrowFloatTest, OneAndItsKindByHand) {
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

TEST(BFloat16Test, ArithmeticRoundsBehindEachOperation) {
  EXPECT_EQ(static_cast<float>(BFloat16(256) + BFloat16(1)), 256);
  EXPECT_EQ(static_cast<float>(BFloat16(256) + BFloat16(3)), 260);
  EXPECT_EQ(static_cast<float>(BFloat16(256) - BFloat16(1)), 255);
  EXPECT_EQ(static_cast<float>(BFloat16(1) / BFloat16(3)), 0.333984375f);
}

TEST(Float16Test, ArithmeticRoundsBehindEachOperation) {
  EXPECT_EQ(static_cast<float>(Float16(2048) + Float16(1)), 2048);
  EXPECT_EQ(static_cast<float>(Float16(65504) + Float16(16)), kInfinity);
  EXPECT_EQ(static_cast<float>(Float16(1) / Float16(3)), 0.333251953125f);
}

// 2^62 + 2^54 lies in the middle of two; one more and the nearer is above. A
// double cannot tell the two apart.
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

}  // namespace
}  // namespace lockstep
