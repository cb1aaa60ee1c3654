#include "conformance/runner/verdicts/rounding.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "conformance/runner/cases/moved_inputs.h"

namespace lockstep {
namespace {

TEST(RoundingTest, AllowsEightTimesTheChange) {
  Rounding rounding({1.0, 2.0});
  ASSERT_TRUE(rounding.Add({1.0, 2.0 + 1e-3}));
  ASSERT_TRUE(rounding.Add({1.0 - 2e-3, 2.0}));
  ASSERT_TRUE(rounding.Add({1.0, 2.0}));
  EXPECT_FALSE(rounding.Diff({1.0, 2.0 + 0.0159}));
  EXPECT_EQ(rounding.Diff({1.0, 2.0625}),
            "at [1]: expected 2.0, observed 2.0625, which is off by 0.062 "
            "where rounding explains 0.016");
}

// Of a result that does not depend on them, or by chance did not move.
TEST(RoundingTest, AllowsAtLeastARoundingUnit) {
  Rounding rounding({4.0, 1e-9});
  ASSERT_TRUE(rounding.Add({4.0, 1e-9}));
  EXPECT_EQ(rounding.ToJson(), Json({{"", 32 * kRoundingUnit}}));
  EXPECT_FALSE(rounding.Diff({4.0, 3e-6}));
  EXPECT_TRUE(rounding.Diff({4.0, 4e-6}));
}

TEST(RoundingTest, EntriesAreSeparate) {
  const Json round = {{"kernel", {{1.0, 2.0}}}, {"bias", 0.0}};
  Rounding rounding({round, round});
  Json moved = {round, round};
  moved[1]["kernel"][0][0] = 1.5;
  ASSERT_TRUE(rounding.Add(moved));
  EXPECT_EQ(rounding.ToJson(), Json({{".bias", 0.0}, {".kernel", 4.0}}));
  Json off = {round, round};
  off[0]["kernel"][0][1] = 5.0;  // of another round: the entry is the same
  EXPECT_FALSE(rounding.Diff(off));
  off[1]["bias"] = 1e-9;
  EXPECT_EQ(rounding.Diff(off), "at [1].bias: expected 0.0, observed 1e-09");
}

// Keys may be any text of a testee.
TEST(RoundingTest, EntriesMayHaveAnyName) {
  const Json value = {{"[", {1.0}}, {"a]b[0", {{"", 2.0}}}};
  Rounding rounding(value);
  ASSERT_TRUE(rounding.Add(value));
  Json off = value;
  off["["][0] = 1.5;
  EXPECT_EQ(rounding.Diff(off),
            "at .[[0]: expected 1.0, observed 1.5, which is off by 0.5 where "
            "rounding explains 9.5e-07");
  EXPECT_FALSE(rounding.Diff(value));
}

TEST(RoundingTest, RefusesOtherForms) {
  for (const Json& other :
       {Json(1), Json({1}), Json({1, 2, 3}), Json({{"a", 1}}), Json({1, "NaN"}),
        Json({1, nullptr})}) {
    Rounding rounding({1, 2});
    EXPECT_FALSE(rounding.Add(other)) << other;
  }
  Rounding texts({"NaN", true, nullptr});
  EXPECT_TRUE(texts.Add({"NaN", true, nullptr}));
  EXPECT_FALSE(texts.Add({"NaN", false, nullptr}));
}

TEST(RoundingTest, ComparesForms) {
  Rounding rounding({1, 2});
  ASSERT_TRUE(rounding.Add({1.5, 2}));
  EXPECT_EQ(rounding.Diff({1}), "expected 2 entries, observed 1");
  EXPECT_EQ(rounding.Diff({1, "NaN"}), "at [1]: expected 2, observed \"NaN\"");
}

}  // namespace
}  // namespace lockstep
