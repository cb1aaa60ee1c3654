#include "reference/distribute/input/copy_ring.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/capture_session.h"
#include "reference/device/fake_gpu.h"

namespace lockstep::distribute_internal {
namespace {

using Lines = std::vector<std::string>;

constexpr DeviceQueue kCompute = DeviceQueue::kCompute;
constexpr DeviceQueue kCopy = DeviceQueue::kCopy;

class CopyRingTest : public testing::Test {
 protected:
  BufferPtr Copy(int value) { return ring_->Copy(&value, sizeof(value)); }
  int Read(const void* data) const {
    return *gpu_.View(static_cast<const int*>(data));
  }
  SimulatedQueues& queues() { return gpu_.queues(); }

  FakeGpu gpu_{0, 4096};
  std::shared_ptr<CopyRing> ring_ = std::make_shared<CopyRing>(gpu_.device());
};

TEST_F(CopyRingTest, ACopyDoesNotWaitForWhatIsComputed) {
  queues().Hold(kCompute);
  queues().Submit(kCompute, "step", [] {});
  const BufferPtr buffer = Copy(7);
  EXPECT_EQ(Read(buffer->data()), 7);
  EXPECT_EQ(buffer->bytes(), sizeof(int));
  EXPECT_EQ(&buffer->device(), &gpu_.device());
}

TEST_F(CopyRingTest, WhatIsDeliveredIsUsedBehindItsCopy) {
  queues().Hold(kCopy);
  const BufferPtr buffer = Copy(7);
  const auto copied = ring_->Mark();
  const BufferPtr next = Copy(8);
  ring_->Deliver(*copied);
  int seen = 0;
  queues().Submit(kCompute, "step", [&] { seen = Read(buffer->data()); });
  EXPECT_EQ(seen, 0);
  queues().Release(kCopy);
  EXPECT_EQ(seen, 7);
}

// The step that uses the block has not run when the block comes back.
TEST_F(CopyRingTest, ABlockIsNotOverwrittenBeforeItWasUsed) {
  BufferPtr buffer = Copy(7);
  ring_->Deliver(*ring_->Mark());
  void* const data = buffer->data();
  queues().Hold(kCompute);
  int seen = 0;
  queues().Submit(kCompute, "step", [&] { seen = Read(data); });
  buffer = BufferPtr();
  const BufferPtr next = Copy(8);
  ASSERT_EQ(next->data(), data);
  EXPECT_EQ(Read(data), 7);
  queues().Release(kCompute);
  EXPECT_EQ(seen, 7);
  EXPECT_EQ(Read(data), 8);
}

TEST_F(CopyRingTest, ACopyWaitsForNothingThatWasComputedLater) {
  BufferPtr buffer = Copy(7);
  buffer = BufferPtr();
  queues().Hold(kCompute);
  queues().Submit(kCompute, "the next step", [] {});
  EXPECT_EQ(Read(Copy(8)->data()), 8);
  EXPECT_EQ(queues().log(), (Lines{"copy: 4 bytes", "compute: the next step",
                                   "copy waits for compute", "copy: 4 bytes"}));
}

TEST_F(CopyRingTest, BlocksGoRound) {
  std::set<void*> blocks;
  BufferPtr now = Copy(0);
  for (int i = 1; i < 20; ++i) {
    BufferPtr next = Copy(i);
    blocks.insert(now->data());
    EXPECT_EQ(Read(now->data()), i - 1);
    now = next;
  }
  EXPECT_EQ(blocks.size(), 2u);
}

TEST_F(CopyRingTest, ABlockIsTakenForWhatFillsHalfOfIt) {
  const std::vector<int> numbers(100, 5);
  const auto where = [&](size_t bytes) {
    return ring_->Copy(numbers.data(), bytes)->data();
  };
  void* const block = where(400);
  EXPECT_EQ(where(200), block);
  EXPECT_EQ(where(400), block);
  EXPECT_NE(where(196), block);
}

TEST_F(CopyRingTest, ABufferKeepsItsRing) {
  const BufferPtr buffer = Copy(7);
  const std::weak_ptr<CopyRing> ring = ring_;
  ring_.reset();
  EXPECT_FALSE(ring.expired());
  EXPECT_EQ(Read(buffer->data()), 7);
}

TEST_F(CopyRingTest, BlocksAreGivenBackBehindTheCopies) {
  Copy(7);
  ring_.reset();
  EXPECT_EQ(queues().log().back(), "compute waits for copy");
}

TEST_F(CopyRingTest, ABlockThatAGraphReadsIsNotTakenAgain) {
  BufferPtr buffer = Copy(7);
  void* const data = buffer->data();
  CaptureSession session({&gpu_.device()});
  {
    PrivateMemory::Scope scope(*session.memory());
    buffer = BufferPtr();
  }
  const CapturedWork work = session.Finish();
  Copy(8);
  EXPECT_NE(Copy(9)->data(), data);
  EXPECT_EQ(Read(data), 7);
}

TEST_F(CopyRingTest, ABlockThatCameBackDuringACaptureWaitsForItsEnd) {
  void* data = nullptr;
  {
    CaptureSession session({&gpu_.device()});
    BufferPtr buffer = Copy(7);  // copies go on
    data = buffer->data();
    buffer = BufferPtr();
    EXPECT_NE(Copy(8)->data(), data);
  }
  Copy(9);  // its end is the next chance
  EXPECT_EQ(Copy(10)->data(), data);
}

TEST_F(CopyRingTest, WithoutMemoryItSaysSoAndGoesOn) {
  const std::vector<std::byte> bytes(8192);
  Copy(6);  // is given back first
  try {
    ring_->Copy(bytes.data(), bytes.size());
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
    EXPECT_NE(std::string(error.what()).find("8192"), std::string::npos);
  }
  EXPECT_EQ(Read(Copy(7)->data()), 7);
}

}  // namespace
}  // namespace lockstep::distribute_internal
