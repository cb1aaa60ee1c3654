#include "conformance/runner/readable_text.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(ReadableTextTest, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(ReadableText("gr\xc3\xbcn\n"), "gr\xc3\xbcn\n");
  EXPECT_EQ(ReadableText("gr\xfcn"), "gr\xef\xbf\xbdn");
  EXPECT_EQ(ReadableText("\xff"), "\xef\xbf\xbd");
}

TEST(ReadableTextTest, WhatATerminalWouldObeyIsText) {
  EXPECT_EQ(ReadableText("\x1b[2J\r\a\x7f\tone\ntwo"),
            "\\x1b[2J\\x0d\\x07\\x7f\tone\ntwo");
  EXPECT_EQ(ReadableText("\u009b2J \u202eabc\u2066"),
            "\\u009b2J \\u202eabc\\u2066");
  EXPECT_EQ(ReadableText(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(ReadableText("\u00e4 \u20ac \U0001f600"),
            "\u00e4 \u20ac \U0001f600");
}

TEST(ReadableTextTest, ALineHasNoLineEndsAndAnEnd) {
  EXPECT_EQ(ReadableLine("one\ntwo\x1b"), "one\\ntwo\\x1b");
  EXPECT_EQ(ReadableLine(std::string(1000, 'x')), std::string(1000, 'x'));
  EXPECT_EQ(ReadableLine(std::string(1007, 'x')),
            std::string(1000, 'x') + "... (7 bytes more)");
  // A character of two bytes is not cut in two.
  EXPECT_EQ(ReadableLine(std::string(999, 'x') + "\u00e4"),
            std::string(999, 'x') + "... (2 bytes more)");
}

TEST(ReadableTextTest, AnExcerptSaysThatMoreFollows) {
  EXPECT_EQ(ReadableExcerpt("short"), "short");
  EXPECT_EQ(ReadableExcerpt(std::string(120, 'x')), std::string(120, 'x'));
  EXPECT_EQ(ReadableExcerpt(std::string(121, 'x')),
            std::string(120, 'x') + "...");
}

}  // namespace
}  // namespace lockstep
