#include "reference/base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

std::vector<uint32_t> Take(Random& random, int count) {
  std::vector<uint32_t> words;
  for (int i = 0; i < count; ++i) words.push_back(random.Next32());
  return words;
}

TEST(RandomTest, KnownAnswerOfTheFirstBlock) {
  // The published known-answer vector of philox4x32-10: key and counter zero.
  Random random(0);
  EXPECT_EQ(Take(random, 4), (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d,
                                                    0xbc57ac4c, 0x9b00dbd8}));
}

TEST(RandomTest, SeedAndStreamTakeTheirPlacesInKeyAndCounter) {
  // Key and upper counter words of the third published vector (digits of pi);
  // the lower counter words, which count blocks, start at 0. Worked out with an
  // independent program that gives the published vectors.
  Random random(0x299f31d0a4093822, 0x0370734413198a2e);
  EXPECT_EQ(
      Take(random, 8),
      (std::vector<uint32_t>{0xb60a410e, 0x61bd7780, 0xa53f3958, 0x3d51eb3f,
                             0x314ddb4b, 0x0ab83527, 0x9fc3cabe, 0x3fc8cf4c}));
}

TEST(RandomTest, SixtyFourBitsAreTwoWordsLowFirst) {
  Random random(0);
  EXPECT_EQ(random.Next64(), 0xe169c58d6627e8d5);
  EXPECT_EQ(random.Next64(), 0x9b00dbd8bc57ac4c);
}

TEST(RandomTest, FloatsKeepTheUpperBits) {
  Random random(0);
  EXPECT_EQ(random.UniformFloat(), 0x6627e8 * 0x1.0p-24f);
  Random other(0);
  EXPECT_EQ(other.UniformDouble(), (0xe169c58d6627e8d5 >> 11) * 0x1.0p-53);
}

TEST(RandomTest, StreamsAndSeedsDiffer) {
  std::set<std::vector<uint32_t>> seen;
  for (uint64_t seed : {0, 1, 2}) {
    for (uint64_t stream : {0, 1, 2}) {
      Random random(seed, stream);
      EXPECT_TRUE(seen.insert(Take(random, 4)).second);
    }
  }
}

TEST(RandomTest, UniformIntStaysInRangeAndReachesAll) {
  Random random(7);
  std::array<int, 6> counts{};
  constexpr int kDraws = 6000;
  for (int i = 0; i < kDraws; ++i) ++counts.at(random.UniformInt(6));
  // Each count is binomial with mean 1000 and deviation 28.9; five of them.
  for (const int count : counts) EXPECT_NEAR(count, 1000, 145);
}

TEST(RandomTest, UniformIntTakesBoundsAboveThirtyTwoBits) {
  Random random(7);
  constexpr uint64_t kBound = (uint64_t{1} << 40) + 1;
  bool large = false;
  for (int i = 0; i < 100; ++i) {
    const uint64_t value = random.UniformInt(kBound);
    ASSERT_LT(value, kBound);
    large |= value > UINT32_MAX;
  }
  EXPECT_TRUE(large);
  EXPECT_EQ(random.UniformInt(1), 0u);
  EXPECT_THROW(random.UniformInt(0), Error);
}

TEST(RandomTest, NormalHasMeanZeroAndVarianceOne) {
  Random random(3);
  constexpr int kDraws = 20000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = random.Normal();
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += value * value;
  }
  // Five deviations: 1/sqrt(n) of the mean, sqrt(2/n) of the variance.
  EXPECT_NEAR(sum / kDraws, 0, 5 / std::sqrt(double{kDraws}));
  EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
}

}  // namespace
}  // namespace lockstep
