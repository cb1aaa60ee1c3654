// Failures that end a job of several workers, and what the other workers see.
// Numbers MW-.. refer to the behaviour of TensorFlow 2.21 with two real
// processes.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "reference/collectives/collectives_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/multi_worker/multi_worker_testing.h"

namespace lockstep {
namespace {

TEST(MultiWorkerFailureTest, ReplicaErrorEndsRunOnAllWorkers) {  // MW-91
  std::vector<std::optional<Code>> after(2);
  const auto errors = WorkersErrors({2, 2}, [&](Strategy& strategy) {
    const auto ones = [&] {
      if (ReplicaNumber() == 1) throw OutOfRange("[Test] {}", "broken");
      GetReplicaContext().AllReduce(ReduceOp::kSum, Tensor::Scalar(1.0f));
    };
    const auto code = CodeOf([&] { strategy.Run(ones); });
    EXPECT_EQ(code,
              WorkerOf(strategy) == 0 ? Code::kOutOfRange : Code::kCancelled);
    // The job is over for all workers.
    after[WorkerOf(strategy)] = CodeOf([&] {
      strategy.Reduce(ReduceOp::kSum,
                      strategy.Run([] { return Tensor::Scalar(1.0f); }));
    });
  });
  RethrowAny(errors);
  EXPECT_EQ(after, (std::vector<std::optional<Code>>(2, Code::kCancelled)));
}

// Worker 1 disappears while worker 0 waits for it, first inside Run, then
// outside.
TEST(MultiWorkerFailureTest, LostWorkerMakesOthersUnavailable) {
  for (const bool inside : {true, false}) {
    const auto errors = WorkersErrors({2, 1}, [&](Strategy& strategy) {
      const VariablePtr v = MakeIn(strategy, 3, VariableAggregation::kSum);
      if (WorkerOf(strategy) == 1) throw std::runtime_error("killed");
      EXPECT_EQ(CodeOf([&] {
                  if (inside) {
                    strategy.Run([&] { v->AssignAdd(Tensor::Scalar(1.0f)); });
                  } else {
                    strategy.Reduce(ReduceOp::kSum,
                                    strategy.Run([&] { return v->Read(); }));
                  }
                }),
                Code::kUnavailable);
      // No part of the update was applied.
      EXPECT_EQ(v->Read().item<float>(), 3);
    });
    EXPECT_FALSE(errors[0]);
  }
}

TEST(MultiWorkerFailureTest, LateWorkerExceedsTheDeadline) {
  std::atomic<bool> over{false};
  const auto errors = WorkersErrors(
      {2, 1},
      [&](Strategy& strategy) {
        const VariablePtr v = MakeIn(strategy, 3, VariableAggregation::kSum);
        if (WorkerOf(strategy) == 1) {
          while (!over.load()) std::this_thread::yield();
          return;
        }
        const auto add = [&] { v->AssignAdd(Tensor::Scalar(1.0f)); };
        EXPECT_EQ(CodeOf([&] { strategy.Run(add); }), Code::kDeadlineExceeded);
        EXPECT_EQ(v->Read().item<float>(), 3);
        over.store(true);
      },
      {.timeout = std::chrono::milliseconds(50)});
  RethrowAny(errors);
}

TEST(MultiWorkerFailureTest, RefusesInvalidArguments) {
  SetLogicalCpuDevices(2);
  const Topology two({1, 1}, WorkerId(0));
  const auto code = [&](const std::vector<std::string>& devices, int workers) {
    auto group = std::make_shared<InProcessGroup>(
        std::make_shared<Rendezvous>(workers), 0,
        std::make_shared<SharedMemoryAllReduce>());
    return CodeOf([&] {
      MultiWorkerMirroredStrategy(ConnectedWorkers{two, group},
                                  {.devices = devices});
    });
  };
  const LogCapture quiet;
  EXPECT_EQ(code({"CPU:0"}, 2), std::nullopt);
  EXPECT_EQ(code({"CPU:0", "CPU:1"}, 2), Code::kInvalidArgument);
  EXPECT_EQ(code({"CPU:0"}, 3), Code::kInvalidArgument);
  EXPECT_EQ(code({"CPU:9"}, 2), Code::kNotFound);
  EXPECT_EQ(CodeOf([&] {
              MultiWorkerMirroredStrategy(ConnectedWorkers{two, nullptr},
                                          {.devices = {"CPU:0"}});
            }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
