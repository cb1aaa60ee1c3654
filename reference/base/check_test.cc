#include "reference/base/check.h"

#include <gtest/gtest.h>

#include <string>

#include "reference/base/error.h"

namespace lockstep {
namespace {

TEST(CheckTest, AHoldingConditionDoesNothing) {
  EXPECT_NO_THROW(LOCKSTEP_CHECK(1 + 1 == 2));
}

TEST(CheckTest, ABrokenOneNamesItselfAndItsPlace) {
  const int got = 3;
  try {
    LOCKSTEP_CHECK(got == 2);
    FAIL() << "a broken invariant passed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInternal);
    const std::string message = error.what();
    EXPECT_NE(message.find("got == 2"), std::string::npos) << message;
    EXPECT_NE(message.find("check_test.cc:"), std::string::npos) << message;
  }
}

TEST(CheckTest, TheConditionIsEvaluatedOnce) {
  int evaluations = 0;
  LOCKSTEP_CHECK(++evaluations > 0);
  EXPECT_EQ(evaluations, 1);
}

TEST(CheckTest, IsOneStatement) {
  bool reached = false;
  if (reached)
    LOCKSTEP_CHECK(false);
  else
    reached = true;
  EXPECT_TRUE(reached);
}

}  // namespace
}  // namespace lockstep
