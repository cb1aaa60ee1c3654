#include "reference/device/capture_session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "reference/base/error.h"
#include "reference/device/buffer.h"
#include "reference/device/fake_gpu.h"

namespace lockstep {
namespace {

class PrivateMemoryTest : public testing::Test {
 protected:
  int64_t BytesInUse() {
    return gpu_.device().pool().statistics().bytes_in_use;
  }
  BufferPtr Allocate(size_t bytes = 1024) {
    return Buffer::Allocate(gpu_.device(), bytes);
  }

  FakeGpu gpu_{0, 64 << 10};
  std::shared_ptr<PrivateMemory> memory_ =
      std::make_shared<PrivateMemory>(std::vector<Device*>{&gpu_.device()});
};

TEST_F(PrivateMemoryTest, ReusesFreedMemoryInScopesOnly) {
  void* inside = nullptr;
  {
    PrivateMemory::Scope scope(*memory_);
    inside = Allocate()->data();
  }
  const BufferPtr outside = Allocate();
  EXPECT_NE(outside->data(), inside);
  PrivateMemory::Scope again(*memory_);
  EXPECT_EQ(Allocate()->data(), inside);
}

TEST_F(PrivateMemoryTest, OtherThreadsDoNotUseIt) {
  PrivateMemory::Scope scope(*memory_);
  void* inside = Allocate()->data();
  void* elsewhere = nullptr;
  std::thread([&] { elsewhere = Allocate()->data(); }).join();
  EXPECT_NE(elsewhere, inside);
}

TEST_F(PrivateMemoryTest, OtherDevicesDoNotUseIt) {
  FakeGpu other(1);
  PrivateMemory::Scope scope(*memory_);
  void* block = Buffer::Allocate(other.device(), 1024)->data();
  EXPECT_EQ(other.device().pool().Allocate(1024), block);
}

TEST_F(PrivateMemoryTest, ReusesBlocksOfThePool) {
  void* kept = Allocate()->data();
  PrivateMemory::Scope scope(*memory_);
  EXPECT_EQ(Allocate()->data(), kept);
}

TEST_F(PrivateMemoryTest, KeepsBlocksFreedInAScope) {
  BufferPtr before = Allocate();
  void* block = before->data();
  {
    PrivateMemory::Scope scope(*memory_);
    before = BufferPtr();
    EXPECT_NE(Allocate()->data(), block);
  }
  EXPECT_NE(Allocate()->data(), block);
  memory_.reset();
  EXPECT_EQ(BytesInUse(), 0);
}

TEST_F(PrivateMemoryTest, LastReferenceReturnsAllBlocks) {
  BufferPtr result;
  {
    PrivateMemory::Scope scope(*memory_);
    result = Allocate();
    Allocate(4096);
  }
  memory_.reset();
  EXPECT_EQ(BytesInUse(), 1024 + 4096);
  result = BufferPtr();
  EXPECT_EQ(BytesInUse(), 0);
}

TEST_F(PrivateMemoryTest, OutOfMemoryLeaksNothing) {
  try {
    PrivateMemory::Scope scope(*memory_);
    Allocate(1 << 20);
    FAIL() << "got more than there is";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
  }
  EXPECT_EQ(BytesInUse(), 0);
  EXPECT_EQ(PrivateMemory::Current(), nullptr);
}

TEST_F(PrivateMemoryTest, ScopesNest) {
  auto inner =
      std::make_shared<PrivateMemory>(std::vector<Device*>{&gpu_.device()});
  PrivateMemory::Scope scope(*memory_);
  {
    PrivateMemory::Scope nested(*inner);
    EXPECT_EQ(PrivateMemory::Current(), inner.get());
  }
  EXPECT_EQ(PrivateMemory::Current(), memory_.get());
}

class CaptureSessionTest : public testing::Test {
 protected:
  using Body = std::function<void()>;

  // Captures what `body` enqueues on both GPUs.
  CapturedWork Capture(const Body& body) {
    CaptureSession session(devices_);
    {
      PrivateMemory::Scope scope(*session.memory());
      body();
    }
    return session.Finish();
  }

  BufferPtr Filled(FakeGpu& gpu, uint8_t value) {
    BufferPtr buffer = Buffer::Allocate(gpu.device(), 16);
    Fill(buffer, value);
    return buffer;
  }
  static void Fill(const BufferPtr& buffer, uint8_t value) {
    buffer->device().memory()->Fill(buffer->data(), &value, 1, 16);
  }
  static void Copy(const BufferPtr& to, const BufferPtr& from) {
    to->device().memory()->CopyFrom(*from->device().memory(), to->data(),
                                    from->data(), 16);
  }
  int Read(const BufferPtr& buffer) {
    uint8_t bytes[16];
    buffer->device().memory()->CopyToHost(bytes, buffer->data(), 16);
    return bytes[15];
  }
  // The error of a capture in which `body` runs.
  std::string WhyNot(const Body& body) {
    try {
      Capture(body);
      return "no error";
    } catch (const Error& error) {
      return error.code() == Code::kFailedPrecondition ? error.what() : "other";
    }
  }

  FakeGpu gpus_[2]{FakeGpu(0), FakeGpu(1)};
  std::vector<Device*> devices_{&gpus_[0].device(), &gpus_[1].device()};
};

TEST_F(CaptureSessionTest, RunsAtEachLaunch) {
  const BufferPtr a = Filled(gpus_[0], 1);
  const BufferPtr b = Filled(gpus_[1], 2);
  const CapturedWork work = Capture([&] {
    Copy(b, a);
    Fill(a, 7);
  });
  EXPECT_EQ(Read(b), 2);  // nothing ran
  work.graph->Launch();
  EXPECT_EQ(Read(b), 1);
  EXPECT_EQ(Read(a), 7);
  Fill(a, 5);
  work.graph->Launch();
  EXPECT_EQ(Read(b), 5);
}

TEST_F(CaptureSessionTest, SeveralThreadsCapture) {
  const BufferPtr a = Filled(gpus_[0], 1);
  const BufferPtr b = Filled(gpus_[1], 2);
  CaptureSession session(devices_);
  std::vector<std::thread> threads;
  for (const BufferPtr* buffer : {&a, &b}) {
    threads.emplace_back([&session, buffer] {
      PrivateMemory::Scope scope(*session.memory());
      Fill(*buffer, 9);
    });
  }
  for (std::thread& thread : threads) thread.join();
  session.Finish().graph->Launch();
  EXPECT_EQ(Read(a), 9);
  EXPECT_EQ(Read(b), 9);
}

TEST_F(CaptureSessionTest, GraphKeepsItsMemory) {
  BufferPtr a = Filled(gpus_[0], 1);
  void* temporary = nullptr;
  {
    const CapturedWork work =
        Capture([&] { temporary = Filled(gpus_[0], 3)->data(); });
    work.graph->Launch();
    for (int i = 0; i < 10; ++i) {
      a = Filled(gpus_[0], 1);
      EXPECT_NE(a->data(), temporary);
      work.graph->Launch();
      EXPECT_EQ(Read(a), 1);
    }
  }
  a = BufferPtr();
  EXPECT_EQ(gpus_[0].device().pool().statistics().bytes_in_use, 0);
}

TEST_F(CaptureSessionTest, HostCannotReadDuringCapture) {
  const BufferPtr a = Filled(gpus_[1], 4);
  EXPECT_EQ(WhyNot([&] { Read(a); }),
            "[StepGraph] 16 bytes were read by the host from GPU:1 while the "
            "step is captured as a graph; return the tensor from the step, or "
            "read it between steps");
  EXPECT_EQ(WhyNot([&] { a->device().memory()->Synchronize(); }),
            "[StepGraph] the host waited for GPU:1 while the step is captured "
            "as a graph; nothing has run yet: wait between steps");
  const uint8_t byte = 0;
  EXPECT_EQ(
      WhyNot([&] { a->device().memory()->CopyFromHost(a->data(), &byte, 1); }),
      "[StepGraph] 1 bytes were copied from the host to GPU:1 while the "
      "step is captured as a graph; each replay would copy the same "
      "ones: hand them to the step as its input, or keep them in a "
      "variable");
  EXPECT_EQ(Read(a), 4);  // the GPU runs new work again
  Fill(a, 6);
  EXPECT_EQ(Read(a), 6);
}

TEST_F(CaptureSessionTest, OtherThreadsWait) {
  const BufferPtr a = Filled(gpus_[0], 1);
  const BufferPtr b = Filled(gpus_[1], 2);
  const Body queue_something[] = {[&] { Copy(b, a); }, [&] { Fill(b, 1); },
                                  [&] { Read(b); }};
  for (const Body& body : queue_something) {
    Fill(b, 2);
    std::atomic<bool> queued = false;
    CaptureSession session(devices_);
    std::thread other([&] {
      body();
      queued = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(queued);
    const CapturedWork work = session.Finish();
    other.join();
    const int after = Read(b);
    Fill(b, 3);
    work.graph->Launch();  // not part of the capture
    EXPECT_EQ(Read(b), 3) << after;
  }
}

TEST_F(CaptureSessionTest, SessionsAndCopiesDoNotDeadlock) {
  const BufferPtr a = Filled(gpus_[0], 0), from_a = Filled(gpus_[0], 1);
  const BufferPtr b = Filled(gpus_[1], 0), from_b = Filled(gpus_[1], 1);
  const std::vector<Device*> reversed{devices_[1], devices_[0]};
  std::vector<std::thread> threads;
  for (const auto& devices : {devices_, reversed}) {
    threads.emplace_back([&, devices] {
      for (int i = 0; i < 300; ++i) CaptureSession(devices).Finish();
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < 300; ++i) Copy(a, from_b);
  });
  threads.emplace_back([&] {
    for (int i = 0; i < 300; ++i) Copy(b, from_a);
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Read(a), 1);
  EXPECT_EQ(Read(b), 1);
}

TEST_F(CaptureSessionTest, GpuIsUsableAfterFailedLaunch) {
  const BufferPtr a = Filled(gpus_[0], 1);
  const CapturedWork work = Capture([&] { Fill(a, 2); });
  gpus_[0].FailNextLaunch();
  try {
    work.graph->Launch();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInternal);
  }
  EXPECT_EQ(Read(a), 1);
  work.graph->Launch();
  EXPECT_EQ(Read(a), 2);
}

}  // namespace
}  // namespace lockstep
