#include "reference/device/simulated_queues.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep {
namespace {

using Lines = std::vector<std::string>;

class SimulatedQueuesTest : public testing::Test {
 protected:
  void Give(DeviceQueue queue, const std::string& name) {
    queues_.Submit(queue, name, [this, name] { run_.push_back(name); });
  }

  SimulatedQueues queues_;
  Lines run_;
};

TEST_F(SimulatedQueuesTest, RunWhatTheyAreGivenAtOnce) {
  Give(DeviceQueue::kCompute, "a");
  Give(DeviceQueue::kCopy, "b");
  EXPECT_EQ(run_, (Lines{"a", "b"}));
  EXPECT_EQ(queues_.log(), (Lines{"compute: a", "copy: b"}));
}

TEST_F(SimulatedQueuesTest, OneThatIsHeldDoesNotHoldTheOthers) {
  queues_.Hold(DeviceQueue::kCompute);
  Give(DeviceQueue::kCompute, "a");
  Give(DeviceQueue::kCommunication, "b");
  EXPECT_EQ(run_, Lines{"b"});
  queues_.Release(DeviceQueue::kCompute);
  EXPECT_EQ(run_, (Lines{"b", "a"}));
}

TEST_F(SimulatedQueuesTest, AQueueWaitsForAMarkAndNoFurther) {
  queues_.Hold(DeviceQueue::kCompute);
  Give(DeviceQueue::kCompute, "a");
  const auto mark = queues_.Record(DeviceQueue::kCompute);
  queues_.WaitFor(DeviceQueue::kCopy, *mark);
  Give(DeviceQueue::kCopy, "b");
  EXPECT_EQ(run_, Lines{});
  queues_.Release(DeviceQueue::kCompute);
  queues_.Hold(DeviceQueue::kCompute);
  Give(DeviceQueue::kCompute, "c");
  queues_.WaitFor(DeviceQueue::kCopy, *mark);
  Give(DeviceQueue::kCopy, "d");
  EXPECT_EQ(run_, (Lines{"a", "b", "d"}));
  EXPECT_EQ(queues_.log(),
            (Lines{"compute: a", "copy waits for compute", "copy: b",
                   "compute: c", "copy waits for compute", "copy: d"}));
}

TEST_F(SimulatedQueuesTest, OneFollowsWhatAnotherWasGivenByNow) {
  queues_.Hold(DeviceQueue::kCommunication);
  Give(DeviceQueue::kCommunication, "a");
  Follow(queues_, DeviceQueue::kCompute, DeviceQueue::kCommunication);
  Give(DeviceQueue::kCompute, "b");
  EXPECT_EQ(run_, Lines{});
  queues_.Release(DeviceQueue::kCommunication);
  EXPECT_EQ(run_, (Lines{"a", "b"}));
}

TEST_F(SimulatedQueuesTest, TheSourceOfACopyMayChangeAtOnce) {
  int from = 7, to = 0;
  queues_.Hold(DeviceQueue::kCopy);
  queues_.CopyFromHost(&to, &from, sizeof(int));
  from = 8;
  EXPECT_EQ(to, 0);
  queues_.Release(DeviceQueue::kCopy);
  EXPECT_EQ(to, 7);
  EXPECT_EQ(queues_.log(), Lines{"copy: 4 bytes"});
}

}  // namespace
}  // namespace lockstep
