// A coordinator with real workers and parameter servers, over gRPC on loopback.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/cluster/control/certificates_testing.h"
#include "reference/parameter_server/coordinator/processes/cluster_processes_testing.h"
#include "reference/parameter_server/coordinator/processes/counting_program_testing.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

const NamedArguments kShort{{"ms", Tensor::Scalar<int64_t>(10)}};

float CounterOf(const CountingProgram& program) {
  return program.counter->Read().item<float>();
}

std::vector<int64_t> Next(CountingProgram& program,
                          ClusterCoordinator& coordinator,
                          const PerWorkerValue& data, int count) {
  std::vector<int64_t> values;
  for (int i = 0; i < count; ++i) {
    const RemoteValue value =
        coordinator.Schedule(program.next, {{"data", data}});
    values.push_back(value.Fetch().leaf().item<int64_t>());
  }
  return values;
}

// The results in the program's document: the counter is 1, 99 functions add 1.
TEST(ClusterProcessTest, EachIncrementIsAppliedOnce) {
  ClusterProcesses processes({.workers = 2, .servers = 2});
  CountingProgram program(processes.cluster());
  ClusterCoordinator coordinator(program.strategy);
  const Tensor one = Tensor::Scalar(1.0f);
  EXPECT_EQ(
      coordinator.Schedule(program.add, {one}).Fetch().leaf().item<float>(), 1);
  std::vector<RemoteValue> results;
  for (int i = 0; i < 99; ++i) {
    results.push_back(coordinator.Schedule(program.add, {one}));
  }
  coordinator.Join();
  EXPECT_TRUE(coordinator.Done());
  EXPECT_EQ(CounterOf(program), 100);
  std::vector<float> values;
  for (const RemoteValue& result : results) {
    values.push_back(result.Fetch().leaf().item<float>());
  }
  std::ranges::sort(values);
  std::vector<float> expected(99);
  std::iota(expected.begin(), expected.end(), 2.0f);
  EXPECT_EQ(values, expected);
  coordinator.Join();
}

TEST(ClusterProcessTest, FetchLeavesOtherValuesAsTheyAre) {
  ClusterProcesses processes({.workers = 1});
  CountingProgram program(processes.cluster());
  ClusterCoordinator coordinator(program.strategy);
  using Fetched = Nest<FetchedLeaf>;
  const Structure fetched = coordinator.Fetch(Fetched::Dict(
      {{"a",
        Fetched(coordinator.Schedule(program.add, {Tensor::Scalar(2.0f)}))},
       {"b", Fetched(Tensor::Scalar(5.0f))},
       {"c", Fetched(coordinator.Schedule(program.empty))}}));
  EXPECT_EQ(ToString(fetched), "{'a': 2, 'b': 5, 'c': ()}");
}

TEST(ClusterProcessTest, WhatCannotBeSentIsInvalid) {
  ClusterProcesses processes({.workers = 1});
  CountingProgram program(processes.cluster());
  ClusterCoordinator coordinator(program.strategy);
  const RemoteValue remote = coordinator.Schedule(program.empty);
  ExpectError([&] { coordinator.Schedule(program.add, {remote}); },
              Code::kInvalidArgument, "argument 0 of 'add' is a RemoteValue");
  ExpectError([&] { coordinator.Schedule(program.add, {program.counter}); },
              Code::kInvalidArgument, "is a variable");
  coordinator.Schedule({"unknown"});
  ExpectError([&] { coordinator.Join(); }, Code::kNotFound, "'unknown'");
  coordinator.Schedule(program.late_variable);
  ExpectError([&] { coordinator.Join(); }, Code::kFailedPrecondition,
              "cannot make a variable");
}

TEST(ClusterProcessTest, EveryWorkerReadsTheWholeDataset) {
  ClusterProcesses processes({.workers = 2});
  CountingProgram program(processes.cluster());
  ClusterCoordinator coordinator(program.strategy);
  const PerWorkerValue data =
      coordinator.CreatePerWorkerDataset(program.range).MakeIterator();
  EXPECT_THAT(Next(program, coordinator, data, 4), ElementsAre(0, 0, 1, 1));
  const RemoteValue fifth =
      coordinator.Schedule(program.next, {{"data", data}});
  ExpectError([&] { fifth.Fetch(); }, Code::kOutOfRange, "");
  ExpectError([&] { coordinator.Join(); }, Code::kOutOfRange, "");
  coordinator.Join();
}

TEST(ClusterProcessTest, NothingIsAppliedBehindAFailure) {
  ClusterProcesses processes({.workers = 1});
  CountingProgram program(processes.cluster());
  ClusterCoordinator coordinator(program.strategy);
  const Tensor one = Tensor::Scalar(1.0f);
  for (int i = 0; i < 200; ++i) coordinator.Schedule(program.add, {one});
  coordinator.Join();
  // The failure may be there before all 40 are scheduled.
  try {
    coordinator.Schedule(program.bad);
    for (int i = 0; i < 40; ++i) coordinator.Schedule(program.add, {one});
    coordinator.Join();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
  }
  coordinator.Join();
  EXPECT_EQ(CounterOf(program), 200);
  coordinator.Schedule(program.add, {one});
  coordinator.Join();
  EXPECT_EQ(CounterOf(program), 201);
}

TEST(ClusterProcessTest, FunctionsOfAKilledWorkerRunElsewhere) {
  ClusterProcesses processes({.workers = 2, .servers = 2});
  CountingProgram program(processes.cluster());
  ClusterCoordinator coordinator(program.strategy);
  for (int i = 0; i < 60; ++i) coordinator.Schedule(program.slow, kShort);
  std::this_thread::sleep_for(std::chrono::milliseconds(55));
  processes.KillWorker(1);
  coordinator.Join();
  EXPECT_EQ(CounterOf(program), 60);
  EXPECT_EQ(program.other->Read().item<float>(), 60);
}

TEST(ClusterProcessTest, FunctionThatEndsItsProcessesFails) {
  ClusterProcesses processes({.workers = 2});
  CountingProgram program(processes.cluster(), CountingOptions(),
                          /*allowed_worker_losses=*/1);
  ClusterCoordinator coordinator(program.strategy);
  coordinator.Schedule(program.crash);
  ExpectError([&] { coordinator.Join(); }, Code::kInternal,
              "2 workers were lost while they ran 'crash'");
  for (int w : {0, 1}) {
    EXPECT_EQ(WEXITSTATUS(processes.worker(w).Wait()), 3);
  }
  processes.StartWorker(1);
  coordinator.Schedule(program.add, {Tensor::Scalar(1.0f)});
  coordinator.Join();
  EXPECT_EQ(CounterOf(program), 1);
}

TEST(ClusterProcessTest, RestartedWorkerReadsItsDatasetAnew) {
  ClusterProcesses processes({.workers = 2});
  CountingProgram program(processes.cluster());
  ClusterCoordinator coordinator(program.strategy);
  const PerWorkerValue data =
      coordinator.CreatePerWorkerDataset(program.endless).MakeIterator();
  EXPECT_THAT(Next(program, coordinator, data, 4), ElementsAre(0, 0, 1, 1));
  processes.KillWorker(1);
  processes.StartWorker(1);
  // The other one goes on until this one is there.
  std::vector<int64_t> values;
  while (values.size() < 1000 && std::ranges::count(values, 0) == 0) {
    values.push_back(Next(program, coordinator, data, 1)[0]);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(values.back(), 0);
  values.pop_back();
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i], static_cast<int64_t>(i) + 2);
  }
}

TEST(ClusterProcessTest, WithoutWorkersFunctionsWait) {
  ClusterProcesses processes({.workers = 2});
  CountingProgram program(processes.cluster());
  ClusterCoordinator coordinator(program.strategy);
  for (int i = 0; i < 20; ++i) coordinator.Schedule(program.slow, kShort);
  processes.KillWorker(0);
  processes.KillWorker(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_FALSE(coordinator.Done());
  processes.StartWorker(0);
  processes.StartWorker(1);
  coordinator.Join();
  EXPECT_EQ(CounterOf(program), 20);
}

TEST(ClusterProcessTest, KilledServerIsUnavailableAtOnce) {
  ClusterProcesses processes({.workers = 2, .servers = 2});
  CountingProgram program(processes.cluster());
  ClusterCoordinator coordinator(program.strategy);
  std::vector<RemoteValue> results;
  for (int i = 0; i < 60; ++i) {
    results.push_back(coordinator.Schedule(program.slow, kShort));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const auto start = std::chrono::steady_clock::now();
  processes.KillServer(1);
  EXPECT_EQ(CodeOf([&] { coordinator.Join(); }), Code::kUnavailable);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_EQ(CodeOf([&] { coordinator.Done(); }), Code::kUnavailable);
  EXPECT_EQ(CodeOf([&] { coordinator.Schedule(program.empty); }),
            Code::kUnavailable);
  EXPECT_EQ(CodeOf([&] { program.counter->Read(); }), Code::kUnavailable);
  EXPECT_EQ(CodeOf([&] { results.back().Fetch(); }), Code::kCancelled);
  processes.StartServer(1);  // it is another one
  EXPECT_EQ(CodeOf([&] { program.counter->Read(); }), Code::kUnavailable);
}

TEST(ClusterProcessTest, AllEndWithTheCoordinator) {
  ClusterProcesses processes({.workers = 2, .servers = 2});
  {
    CountingProgram program(processes.cluster());
    ClusterCoordinator coordinator(program.strategy);
    coordinator.Schedule(program.empty);
    coordinator.Join();
  }
  for (int i : {0, 1}) {
    EXPECT_EQ(processes.worker(i).Wait(), 0);
    EXPECT_EQ(processes.server(i).Wait(), 0);
  }
}

TEST(ClusterProcessTest, AllEndWithAKilledCoordinator) {
  ClusterProcesses processes({.workers = 2, .servers = 2});
  auto coordinator = processes.StartCoordinator(10);
  EXPECT_EQ(coordinator->ReadLine(), "ready\n");
  coordinator.reset();
  for (int i : {0, 1}) {
    EXPECT_EQ(processes.worker(i).Wait(), 0);
    EXPECT_EQ(processes.server(i).Wait(), 0);
  }
}

TEST(ClusterProcessTest, AnotherTokenIsRefused) {
  ClusterProcesses processes({.workers = 1});
  ControlPlaneOptions options = CountingOptions();
  options.token = "another";
  EXPECT_EQ(CodeOf([&] { CountingProgram(processes.cluster(), options); }),
            Code::kUnauthenticated);
  options = CountingOptions();
  options.program = "another";
  EXPECT_EQ(CodeOf([&] { CountingProgram(processes.cluster(), options); }),
            Code::kFailedPrecondition);
}

// A coordinator that is kept out does not end the job.
TEST(ClusterProcessTest, AllPresentCertificates) {
  const TestAuthority ours("ours");
  const TestAuthority other("other");
  const TlsFiles files = ours.Issue("process", "127.0.0.1");
  ClusterProcesses processes(
      {.workers = 2,
       .servers = 2,
       .more = {"0", files.authority, files.certificate, files.key}});
  ControlPlaneOptions options = CountingOptions();
  const auto expect_kept_out = [&](const std::optional<TlsFiles>& tls,
                                   const std::string& words) {
    options.tls = tls;
    options.join_timeout = std::chrono::seconds(2);
    ExpectError([&] { CountingProgram(processes.cluster(), options); },
                Code::kUnauthenticated, words);
  };
  for (int s : {0, 1}) EXPECT_EQ(processes.server(s).ReadLine(), "serving\n");
  expect_kept_out(std::nullopt, "only one of them has TLS");
  expect_kept_out(other.Issue("other", "127.0.0.1"), "parameter server 0");
  options = CountingOptions();
  options.tls = ours.Issue("coordinator", "127.0.0.1");
  CountingProgram program(processes.cluster(), options);
  ClusterCoordinator coordinator(program.strategy);
  for (int i = 0; i < 20; ++i) coordinator.Schedule(program.slow, kShort);
  coordinator.Join();
  EXPECT_EQ(CounterOf(program), 20);
  EXPECT_EQ(program.other->Read().item<float>(), 20);
}

TEST(ClusterProcessTest, LossesAreAllowedFromZeroOn) {
  ClusterProcesses processes({.workers = 1});
  ExpectError(
      [&] { CountingProgram(processes.cluster(), CountingOptions(), -1); },
      Code::kInvalidArgument,
      "allowed_worker_losses must be at least 0, got -1");
}

TEST(ClusterProcessTest, MissingWorkerIsNamed) {
  ClusterProcesses processes({.workers = 2});
  processes.KillWorker(1);
  ControlPlaneOptions options = CountingOptions();
  options.join_timeout = std::chrono::seconds(3);
  CountingProgram program(processes.cluster(), options);
  ExpectError([&] { ClusterCoordinator coordinator(program.strategy); },
              Code::kDeadlineExceeded, "worker 1 at 127.0.0.1:");
}

// Numbers of functions are not used again.
TEST(ClusterProcessTest, CoordinatorsMayFollowEachOther) {
  ClusterProcesses processes({.workers = 2});
  CountingProgram program(processes.cluster());
  for (int c = 1; c <= 2; ++c) {
    ClusterCoordinator coordinator(program.strategy);
    for (int i = 0; i < 10; ++i) {
      coordinator.Schedule(program.add, {Tensor::Scalar(1.0f)});
    }
    coordinator.Join();
    EXPECT_EQ(CounterOf(program), 10 * c);
  }
}

}  // namespace
}  // namespace lockstep
