#include "reference/base/error.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

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

}  // namespace
}  // namespace lockstep
