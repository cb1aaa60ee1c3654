#include "reference/cluster/control/meeting.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep::control_internal {
namespace {

// Writes down what a worker hears.
class Diary : public MemberEvents {
 public:
  void Met(const std::vector<std::string>& values) override {
    for (const std::string& value : values) text += value + ";";
  }
  void Refused(const Failure& why) override { text += why.message; }
  void Failed(const Failure& why) override { text += why.message; }

  std::string text;
};

TEST(MeetingTest, ShowsItsExample) {
  Diary first, second;
  Meeting meeting({"worker 0", "worker 1 (b:2222)"});
  meeting.Join(0, first);
  meeting.Join(1, second);
  meeting.Arrive(0, "addresses", "a");
  EXPECT_EQ(first.text, "");
  meeting.Arrive(1, "addresses", "b");
  EXPECT_EQ(first.text, "a;b;");
  EXPECT_EQ(second.text, "a;b;");
}

TEST(MeetingTest, TellsWhichOfTheMissingNeverJoined) {
  Diary first, second;
  Meeting meeting({"worker 0", "worker 1 (b:1)", "worker 2 (c:1)"});
  meeting.Join(0, first);
  meeting.Join(2, second);
  meeting.Arrive(0, "rendezvous", "");
  meeting.Expire(0);
  EXPECT_EQ(first.text,
            "[Exchange] 'rendezvous': worker 0 waited in vain for worker 1 "
            "(b:1), which never joined, worker 2 (c:1)");
  EXPECT_EQ(second.text, first.text);
}

TEST(MeetingTest, NamesEightOfManyMissing) {
  std::vector<std::string> names;
  for (int w = 0; w < 20; ++w) names.push_back(std::to_string(w));
  Diary diary;
  Meeting meeting(names);
  meeting.Join(0, diary);
  meeting.Arrive(0, "rendezvous", "");
  meeting.Expire(0);
  EXPECT_NE(diary.text.find("8, which never joined and 11 more"),
            std::string::npos)
      << diary.text;
  EXPECT_EQ(diary.text.find("9,"), std::string::npos) << diary.text;
}

TEST(MeetingTest, AWorkerJoinsOnce) {
  Diary first, second;
  Meeting meeting({"worker 0", "worker 1"});
  meeting.Join(1, first);
  ExpectError([&] { meeting.Join(1, second); }, Code::kFailedPrecondition,
              "[Join] worker 1 has joined before");
  EXPECT_EQ(second.text, "");
}

TEST(MeetingTest, ALateWorkerIsToldThatTheJobHasFailed) {
  Diary first, second;
  Meeting meeting({"worker 0", "worker 1"});
  meeting.Join(0, first);
  meeting.Lose(0, "killed");
  meeting.Join(1, second);
  EXPECT_EQ(first.text, "");
  EXPECT_EQ(second.text, "[ControlPlane] worker 0 is gone: killed");
}

TEST(MeetingTest, AnExpiryThatComesTooLateIsNone) {
  Diary first, second;
  Meeting meeting({"worker 0", "worker 1"});
  meeting.Join(0, first);
  meeting.Join(1, second);
  meeting.Arrive(0, "x", "a");
  meeting.Arrive(1, "x", "b");
  meeting.Expire(0);
  EXPECT_EQ(first.text, "a;b;");
}

TEST(MeetingTest, NothingIsMissedOfWhoHasLeft) {
  Diary first, second;
  Meeting meeting({"worker 0", "worker 1"});
  meeting.Join(0, first);
  meeting.Join(1, second);
  meeting.Leave(1);
  meeting.Abort(1, "too late");
  meeting.Lose(1, "its process ended");
  EXPECT_EQ(first.text, "");
  meeting.Arrive(0, "x", "a");
  EXPECT_EQ(first.text, "[Exchange] 'x' cannot be: worker 1 has left");
}

}  // namespace
}  // namespace lockstep::control_internal
