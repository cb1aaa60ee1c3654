#include "conformance/runner/dialect.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

const Dialect kPadMean = {{"remainder", "pad"},
                          {"gradient_combination", "mean"}};

TEST(DialectTest, AppliesWhereEveryWantedValueIsTheDialects) {
  EXPECT_TRUE(Applies({}, kPadMean));
  EXPECT_TRUE(Applies({{"remainder", "pad"}}, kPadMean));
  EXPECT_TRUE(Applies(kPadMean, kPadMean));
  EXPECT_FALSE(Applies({{"remainder", "drop"}}, kPadMean));
  EXPECT_FALSE(Applies(kPadMean, {{"remainder", "pad"}}));
}

TEST(DialectTest, DifferentValuesOfOneConventionExcludeEachOther) {
  EXPECT_TRUE(ExcludeEachOther(kPadMean, {{"remainder", "drop"}}));
  EXPECT_FALSE(ExcludeEachOther(kPadMean, {{"remainder", "pad"}}));
  EXPECT_FALSE(ExcludeEachOther(kPadMean, {{"empty_replica", "error"}}));
  EXPECT_FALSE(ExcludeEachOther(kPadMean, {}));
}

TEST(DialectTest, DescribesItself) {
  EXPECT_EQ(DescribeDialect(kPadMean),
            "gradient_combination: mean, remainder: pad");
}

}  // namespace
}  // namespace lockstep
