#include "reference/base/progress_bar.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace lockstep {
namespace {

TEST(ProgressBarTest, ShowsShareRateAndTimeLeft) {
  ProgressBar bar(400, "images", nullptr);
  bar.SetLabel("epoch 1/2");
  bar.Advance(100);
  EXPECT_EQ(bar.Line(2.0),
            "epoch 1/2 [======>                 ]  25%  100/400 images  50/s  "
            "ETA 0:06");
}

TEST(ProgressBarTest, ShowsHoursAndAFullBar) {
  ProgressBar bar(1000, "steps", nullptr);
  bar.Advance(1);
  EXPECT_NE(bar.Line(10).find("ETA 2:46:30"), std::string::npos);
  bar.Advance(999);
  EXPECT_NE(bar.Line(10).find("[========================] 100%"),
            std::string::npos);
}

TEST(ProgressBarTest, ShowsBytesInTheirUnits) {
  ProgressBar bar(26400000, "bytes", nullptr);
  bar.Advance(13200000);
  EXPECT_NE(bar.Line(10).find("13.2 MB/26.4 MB  1.3 MB/s"), std::string::npos)
      << bar.Line(10);
}

TEST(ProgressBarTest, WithoutATotalThereIsNoBar) {
  ProgressBar bar(0, "bytes", nullptr);
  bar.Advance(900);
  EXPECT_EQ(bar.Line(1), "900 B  900 B/s");
}

TEST(ProgressBarTest, NothingDoneYetHasNoTimeLeft) {
  ProgressBar bar(10, "steps", nullptr);
  EXPECT_EQ(bar.Line(0), "[>                       ]   0%  0/10 steps  0/s");
}

TEST(ProgressBarTest, DrawsOnTheTerminalAndLeavesItClean) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  {
    ProgressBar bar(2, "steps", out);
    bar.Advance(1);
    bar.Advance(1);  // within a tenth of a second: not drawn again
  }
  std::fclose(out);
  const std::string drawn(text, size);
  std::free(text);
  EXPECT_EQ(drawn.find("1/2 steps"), drawn.rfind("/2 steps") - 1);
  EXPECT_TRUE(drawn.ends_with("\r\x1b[K"));
}

}  // namespace
}  // namespace lockstep
