#include "reference/collectives/sum_kernel.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "reference/base/error.h"

namespace lockstep::collectives_internal {
namespace {

// Long enough for whole groups of vectors and a rest, whatever their length.
constexpr int64_t kCount = 1031;

template <typename T>
class SumKernelTest : public testing::Test {};
using NumericTypes =
    testing::Types<float, double, BFloat16, Float16, int32_t, int64_t, uint8_t>;
TYPED_TEST_SUITE(SumKernelTest, NumericTypes);

template <typename T>
std::vector<T> Ramp(int start) {
  std::vector<T> values(kCount);
  for (int64_t i = 0; i < kCount; ++i) {
    values[i] = static_cast<T>((i + start) % 50);  // sums of three fit uint8
  }
  return values;
}

TYPED_TEST(SumKernelTest, SumsExactlyIntoEveryOutput) {
  using T = TypeParam;
  const std::vector<T> a = Ramp<T>(0), b = Ramp<T>(7), c = Ramp<T>(13);
  for (const bool stream : {false, true}) {
    alignas(64) T x[kCount];
    alignas(64) T y[kCount];
    SumInto({.dtype = kDTypeOf<T>,
             .count = kCount,
             .inputs = {a.data(), b.data(), c.data()},
             .outputs = {x, y},
             .stream = stream});
    for (int64_t i = 0; i < kCount; ++i) {
      const T expected = static_cast<T>(i % 50 + (i + 7) % 50 + (i + 13) % 50);
      ASSERT_EQ(x[i], expected) << i;
      ASSERT_EQ(y[i], expected) << i;
    }
  }
}

TYPED_TEST(SumKernelTest, MayWriteOverAnInput) {
  using T = TypeParam;
  std::vector<T> a = Ramp<T>(0);
  const std::vector<T> b = Ramp<T>(1);
  SumInto({.dtype = kDTypeOf<T>,
           .count = kCount,
           .inputs = {a.data(), b.data()},
           .outputs = {a.data()}});
  for (int64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(a[i], static_cast<T>(i % 50 + (i + 1) % 50)) << i;
  }
}

TEST(SumKernelTest, AddsInTheOrderOfTheInputs) {
  // 1e8 + 1 rounds to 1e8 in float32, so the two orders differ.
  const std::vector<float> big(kCount, 1e8f), small(kCount, 1.0f),
      negative(kCount, -1e8f);
  std::vector<float> out(kCount);
  SumInto({.count = kCount,
           .inputs = {big.data(), small.data(), negative.data()},
           .outputs = {out.data()}});
  EXPECT_EQ(out, std::vector<float>(kCount, 0.0f));
  SumInto({.count = kCount,
           .inputs = {big.data(), negative.data(), small.data()},
           .outputs = {out.data()}});
  EXPECT_EQ(out, std::vector<float>(kCount, 1.0f));
}

TEST(SumKernelTest, MeanDividesOnce) {
  const std::vector<float> a(kCount, 1.0f), b(kCount, 4.0f), c(kCount, 3.0f);
  std::vector<float> out(kCount);
  SumInto({.count = kCount,
           .inputs = {a.data(), b.data(), c.data()},
           .outputs = {out.data()},
           .divisor = 3});
  EXPECT_EQ(out, std::vector<float>(kCount, 8.0f / 3.0f));
}

// Rounded to bfloat16 on the way, 256 + 1 + 1 would be 256.
TEST(SumKernelTest, NarrowFloatsRoundOnce) {
  const BFloat16 a[] = {BFloat16(256)}, b[] = {BFloat16(1)};
  BFloat16 x[1];
  SumInto({.dtype = DType::kBFloat16,
           .count = 1,
           .inputs = {a, b, b},
           .outputs = {x}});
  EXPECT_EQ(static_cast<float>(x[0]), 258);
  SumInto({.dtype = DType::kBFloat16,
           .count = 1,
           .inputs = {a, b, b, a},
           .outputs = {x},
           .divisor = 4});
  EXPECT_EQ(static_cast<float>(x[0]), 128);  // 128.5 lies in the middle
}

TEST(SumKernelTest, UnalignedStreamsAndShortArraysWork) {
  alignas(64) float buffer[kCount + 1] = {};
  const std::vector<float> a(kCount, 2.0f);
  SumInto({.count = 5,
           .inputs = {a.data()},
           .outputs = {buffer + 1},
           .stream = true});
  EXPECT_EQ(std::accumulate(buffer, buffer + kCount + 1, 0.0f), 10.0f);
  SumInto({.count = 0, .inputs = {a.data()}, .outputs = {buffer}});
  EXPECT_EQ(buffer[0], 0.0f);
}

TEST(SumKernelTest, SignedIntegersWrap) {
  const int32_t most = std::numeric_limits<int32_t>::max();
  const std::vector<int32_t> a(kCount, most), b(kCount, 1);
  std::vector<int32_t> out(kCount);
  SumInto({.dtype = DType::kInt32,
           .count = kCount,
           .inputs = {a.data(), b.data()},
           .outputs = {out.data()}});
  EXPECT_EQ(out,
            std::vector<int32_t>(kCount, std::numeric_limits<int32_t>::min()));
}

TEST(SumKernelTest, OtherTypesBreakTheInvariant) {
  bool value = true;
  EXPECT_THROW(SumInto({.dtype = DType::kBool,
                        .count = 1,
                        .inputs = {&value},
                        .outputs = {&value}}),
               Error);
  EXPECT_THROW(SumInto({.count = 0}), Error);
}

}  // namespace
}  // namespace lockstep::collectives_internal
