#include "conformance/runner/readable_text.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(ReadableTextTest, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(ReadableText("gr\xc3\xbcn\n"), "gr\xc3\xbcn\n");
  EXPECT_EQ(ReadableText("gr\xfcn"), "gr\xef\xbf\xbdn");
  EXPECT_EQ(ReadableText("\xff"), "\xef\xbf\xbd");
}

TEST(ReadableTextTest, AnExcerptSaysThatMoreFollows) {
  EXPECT_EQ(ReadableExcerpt("short"), "short");
  EXPECT_EQ(ReadableExcerpt(std::string(120, 'x')), std::string(120, 'x'));
  EXPECT_EQ(ReadableExcerpt(std::string(121, 'x')),
            std::string(120, 'x') + "...");
}

}  // namespace
}  // namespace lockstep
