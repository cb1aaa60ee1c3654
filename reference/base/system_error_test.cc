#include "reference/base/system_error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace lockstep {
namespace {

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
