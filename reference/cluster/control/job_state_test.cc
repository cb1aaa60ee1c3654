#include "reference/cluster/control/job_state.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep::control_internal {
namespace {

// Records a worker's events.
class EventLog : public WorkerEvents {
 public:
  void AllArrived(const std::vector<std::string>& values) override {
    for (const std::string& value : values) text += value + ";";
  }
  void Refused(const Failure& why) override { text += why.message; }
  void Failed(const Failure& why) override { text += why.message; }

  std::string text;
};

TEST(JobStateTest, DoesItsExample) {
  EventLog first, second;
  JobState job_state({"worker 0", "worker 1 (b:2222)"});
  job_state.Join(0, first);
  job_state.Join(1, second);
  job_state.Arrive(0, "addresses", "a");
  EXPECT_EQ(first.text, "");
  job_state.Arrive(1, "addresses", "b");
  EXPECT_EQ(first.text, "a;b;");
  EXPECT_EQ(second.text, "a;b;");
}

TEST(JobStateTest, SaysWhichMissingWorkersNeverJoined) {
  EventLog first, second;
  JobState job_state({"worker 0", "worker 1 (b:1)", "worker 2 (c:1)"});
  job_state.Join(0, first);
  job_state.Join(2, second);
  job_state.Arrive(0, "rendezvous", "");
  job_state.Expire(0);
  EXPECT_EQ(first.text,
            "[Exchange] 'rendezvous': worker 0 waited too long for worker 1 "
            "(b:1), which never joined, worker 2 (c:1)");
  EXPECT_EQ(second.text, first.text);
}

TEST(JobStateTest, NamesEightOfManyMissing) {
  std::vector<std::string> names;
  for (int w = 0; w < 20; ++w) names.push_back(std::to_string(w));
  EventLog log;
  JobState job_state(names);
  job_state.Join(0, log);
  job_state.Arrive(0, "rendezvous", "");
  job_state.Expire(0);
  EXPECT_NE(log.text.find("8, which never joined and 11 more"),
            std::string::npos)
      << log.text;
  EXPECT_EQ(log.text.find("9,"), std::string::npos) << log.text;
}

TEST(JobStateTest, AWorkerJoinsOnce) {
  EventLog first, second;
  JobState job_state({"worker 0", "worker 1"});
  job_state.Join(1, first);
  ExpectError([&] { job_state.Join(1, second); }, Code::kFailedPrecondition,
              "[Join] worker 1 has joined before");
  EXPECT_EQ(second.text, "");
}

TEST(JobStateTest, ALateWorkerGetsTheFailure) {
  EventLog first, second;
  JobState job_state({"worker 0", "worker 1"});
  job_state.Join(0, first);
  job_state.Disconnect(0, "killed");
  job_state.Join(1, second);
  EXPECT_EQ(first.text, "");
  EXPECT_EQ(second.text, "[ControlPlane] worker 0 is gone: killed");
}

TEST(JobStateTest, ALateExpiryIsIgnored) {
  EventLog first, second;
  JobState job_state({"worker 0", "worker 1"});
  job_state.Join(0, first);
  job_state.Join(1, second);
  job_state.Arrive(0, "x", "a");
  job_state.Arrive(1, "x", "b");
  job_state.Expire(0);
  EXPECT_EQ(first.text, "a;b;");
}

TEST(JobStateTest, AWorkerThatHasLeftIsNotMissing) {
  EventLog first, second;
  JobState job_state({"worker 0", "worker 1"});
  job_state.Join(0, first);
  job_state.Join(1, second);
  job_state.Leave(1);
  job_state.Abort(1, "too late");
  job_state.Disconnect(1, "its process ended");
  EXPECT_EQ(first.text, "");
  job_state.Arrive(0, "x", "a");
  EXPECT_EQ(first.text, "[Exchange] 'x' cannot complete: worker 1 has left");
}

}  // namespace
}  // namespace lockstep::control_internal
