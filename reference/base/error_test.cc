#include "reference/base/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/check.h"

namespace lockstep {
namespace {

TEST(ErrorTest, MakersFillInCodeAndMessage) {
  const Error error = InvalidArgument("[Rebatch] got {}, wanted {}", 0, "one");
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_STREQ(error.what(), "[Rebatch] got 0, wanted one");
}

TEST(ErrorTest, EveryCodeHasItsMakerAndItsName) {
  const std::vector<std::pair<Error, std::string>> errors = {
      {InvalidArgument("x"), "InvalidArgument"},
      {OutOfRange("x"), "OutOfRange"},
      {FailedPrecondition("x"), "FailedPrecondition"},
      {NotFound("x"), "NotFound"},
      {DataLoss("x"), "DataLoss"},
      {Unavailable("x"), "Unavailable"},
      {DeadlineExceeded("x"), "DeadlineExceeded"},
      {Unimplemented("x"), "Unimplemented"},
      {ResourceExhausted("x"), "ResourceExhausted"},
      {Cancelled("x"), "Cancelled"},
      {Internal("x"), "Internal"}};
  for (size_t i = 0; i < errors.size(); ++i) {
    EXPECT_EQ(CodeName(errors[i].first.code()), errors[i].second);
    EXPECT_EQ(static_cast<size_t>(errors[i].first.code()), i);
  }
}

TEST(ErrorTest, IsAStandardException) {
  try {
    throw NotFound("[FindDevice] no device {}", "CPU:7");
  } catch (const std::exception& error) {
    EXPECT_STREQ(error.what(), "[FindDevice] no device CPU:7");
  }
}

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
    EXPECT_NE(message.find("error_test.cc:"), std::string::npos) << message;
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

TEST(SystemErrorTest, SaysWhatTheSystemSays) {
  const Error error = SystemError(ENOENT, "[Open] cannot open {}", "a");
  EXPECT_STREQ(error.what(), "[Open] cannot open a: No such file or directory");
}

TEST(SystemErrorTest, TellsKindsApart) {
  EXPECT_EQ(SystemError(ENOENT, "x").code(), Code::kNotFound);
  for (const int number : {ENOSPC, EDQUOT, EFBIG}) {
    EXPECT_EQ(SystemError(number, "x").code(), Code::kResourceExhausted);
  }
  for (const int number : {EACCES, EROFS, EIO, EISDIR, ENOTDIR}) {
    EXPECT_EQ(SystemError(number, "x").code(), Code::kUnavailable);
  }
}

}  // namespace
}  // namespace lockstep
