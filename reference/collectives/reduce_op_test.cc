#include "reference/collectives/reduce_op.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep {
namespace {

TEST(ReduceOpTest, NamesAreReadInAnyCase) {
  for (const char* name : {"sum", "SUM", "Sum"}) {
    EXPECT_EQ(ParseReduceOp(name), ReduceOp::kSum);
  }
  for (const char* name : {"mean", "MEAN", "mEAN"}) {
    EXPECT_EQ(ParseReduceOp(name), ReduceOp::kMean);
  }
  EXPECT_EQ(ReduceOpName(ReduceOp::kSum), "SUM");
  EXPECT_EQ(ReduceOpName(ReduceOp::kMean), "MEAN");
}

TEST(ReduceOpTest, OtherNamesAreNone) {
  for (const char* name : {"MAX", "", "sums"}) {
    try {
      ParseReduceOp(name);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
    }
  }
}

}  // namespace
}  // namespace lockstep
