#include "reference/base/cores/free_cores.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace lockstep {
namespace {

TEST(ReadyThreadsTest, IsTheFourthWord) {
  EXPECT_EQ(ReadyThreads("0.24 2.05 2.62 3/145 1234\n"), 3);
  EXPECT_EQ(ReadyThreads("10.00 9.00 8.00 12/900 7"), 12);
  for (const char* text : {"", "0.24 2.05 2.62", "0.24 2.05 2.62 ",
                           "0.24 2.05 2.62 3", "0.24 2.05 2.62 x/145 1"}) {
    EXPECT_EQ(ReadyThreads(text), std::nullopt) << text;
  }
}

class CrowdingTest : public testing::Test {
 protected:
  void Write(const std::string& text) { std::ofstream(path_) << text; }
  static void Sample(Crowding& crowding, int times) {
    for (int i = 0; i < times; ++i) crowding.Sample();
  }

  const std::string path_ = testing::TempDir() + "/loadavg";
};

TEST_F(CrowdingTest, FollowsTheFileAfterSomeSamples) {
  Write("0.2 0.2 0.2 2/145 1");
  Crowding crowding(path_, /*cores=*/2);
  Sample(crowding, 10);
  EXPECT_FALSE(crowding.IsCrowded());
  Write("0.2 0.2 0.2 3/145 1");
  Sample(crowding, 1);  // a short burst changes nothing
  EXPECT_FALSE(crowding.IsCrowded());
  Sample(crowding, 10);
  EXPECT_TRUE(crowding.IsCrowded());
  Write("0.2 0.2 0.2 1/145 1");
  Sample(crowding, 10);
  EXPECT_FALSE(crowding.IsCrowded());
}

TEST_F(CrowdingTest, IsAssumedWhereNothingIsKnown) {
  Crowding none(path_ + ".missing", 2);
  EXPECT_TRUE(none.IsCrowded());
  Sample(none, 10);
  EXPECT_TRUE(none.IsCrowded());
  Write("no numbers");
  Crowding wrong(path_, 2);
  Sample(wrong, 10);
  EXPECT_TRUE(wrong.IsCrowded());
}

}  // namespace
}  // namespace lockstep
