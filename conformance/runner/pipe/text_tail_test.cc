#include "conformance/runner/pipe/text_tail.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(TextTailTest, KeepsAllThatFits) {
  TextTail tail(8);
  EXPECT_EQ(tail.text(), "");
  tail.Append("one\n");
  tail.Append("two\n");
  EXPECT_EQ(tail.text(), "one\ntwo\n");
}

TEST(TextTailTest, KeepsTheLastWholeLines) {
  TextTail tail(8);
  tail.Append("first\nlast\n");
  EXPECT_EQ(tail.text(), "last\n");
  for (int i = 0; i < 1000; ++i) tail.Append("no\n");
  EXPECT_EQ(tail.text(), "no\nno\n");
}

TEST(TextTailTest, ShowsNoRestOfALine) {
  TextTail tail(8);
  for (const char* text : {"12345\n", "6789\n", "abcd\n", "e"}) {
    tail.Append(text);
  }
  EXPECT_EQ(tail.text(), "abcd\ne");
}

TEST(TextTailTest, KeepsTheEndOfAnEndlessLine) {
  TextTail tail(8);
  tail.Append("0123456789");
  EXPECT_EQ(tail.text(), "23456789");
  tail.Append("ab");
  EXPECT_EQ(tail.text(), "456789ab");
}

}  // namespace
}  // namespace lockstep
