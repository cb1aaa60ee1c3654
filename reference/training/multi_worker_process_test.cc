// Worker processes that communicate over gRPC and Gloo or MPI train as one replica.

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "reference/cluster/control/worker_process_testing.h"
#include "reference/collectives/mpi/mpirun_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/training/linear_training.h"

namespace lockstep {
namespace {

using testing::HasSubstr;

constexpr char kProgram[] = "reference/training/multi_worker_worker";

std::string OfOneReplica(int64_t examples) {
  const auto one = MakeStrategy(1);
  const LinearOutcome outcome = LinearTraining(*one).Train(examples);
  return fmt::format("{} {}\n", fmt::join(outcome.losses, ","),
                     fmt::join(outcome.weights, ","));
}

// 9 examples leave the last batch with one row, for one of four replicas.
TEST(MultiWorkerProcessTest, TwoWorkersTrainAsOneReplica) {
  for (const char* examples : {"8", "9"}) {
    WorkerProcess chief(kProgram, {"0", "2", "0", examples});
    const std::string port = std::to_string(std::stoi(chief.ReadLine()));
    WorkerProcess other(kProgram, {"1", "2", port, examples});
    const std::string expected = OfOneReplica(std::stoi(examples));
    EXPECT_EQ(chief.ReadLine(), expected);
    EXPECT_EQ(other.ReadLine(), expected);
  }
}

TEST(MultiWorkerProcessTest, MpirunWorkersTrainOverMpi) {
  WorkerProcess job("/usr/bin/env", MpirunArguments(2, kProgram, {"9"}));
  const std::string expected = "tensors by MpiAllReduce " + OfOneReplica(9);
  EXPECT_EQ(job.ReadLine(), expected);
  EXPECT_EQ(job.ReadLine(), expected);
  EXPECT_EQ(job.ReadLine(), "");
}

TEST(MultiWorkerProcessTest, LostWorkerIsUnavailable) {
  WorkerProcess chief(kProgram, {"0", "3", "0", "8"});
  const std::string port = std::to_string(std::stoi(chief.ReadLine()));
  WorkerProcess second(kProgram, {"1", "3", port, "8"});
  WorkerProcess killed(kProgram, {"2", "3", port, "8", "killed"});
  EXPECT_EQ(chief.ReadLine().substr(0, 12), "Unavailable:");
  EXPECT_EQ(second.ReadLine().substr(0, 12), "Unavailable:");
}

// What a job of three says, of which the last worker is not like the others.
struct Misfit {
  std::string name;
  std::string act_of_others = "", act = "";  // of multi_worker_worker.cc
  std::string all_say;
  std::string it_says = all_say;
  bool all_go_on = false;
  std::string examples = "9";  // that it reads, where the others read 9
};

class MultiWorkerMisfitTest : public testing::TestWithParam<Misfit> {};

TEST_P(MultiWorkerMisfitTest, EveryWorkerGetsATypedError) {
  const Misfit& job = GetParam();
  WorkerProcess chief(kProgram, {"0", "3", "0", "9", job.act_of_others});
  const std::string port = std::to_string(std::stoi(chief.ReadLine()));
  WorkerProcess second(kProgram, {"1", "3", port, "9", job.act_of_others});
  WorkerProcess misfit(kProgram, {"2", "3", port, job.examples, job.act});
  EXPECT_THAT(chief.ReadLine(), HasSubstr(job.all_say));
  EXPECT_THAT(second.ReadLine(), HasSubstr(job.all_say));
  EXPECT_THAT(misfit.ReadLine(), HasSubstr(job.it_says));
  for (WorkerProcess* worker : {&chief, &second, &misfit}) {
    EXPECT_EQ(worker->ReadLine(), job.all_go_on ? OfOneReplica(9) : "");
  }
}

const Misfit kMisfits[] = {
    {.name = "Program",
     .act = "program",
     .all_say = "FailedPrecondition: [ConnectControlPlane] workers differ in "
                "their program: worker 0 has '', worker 2 has 'other"},
    {.name = "Version",
     .act = "version",
     .all_say =
         "FailedPrecondition: [ConnectControlPlane] workers differ in "
         "their library version: worker 0 has '0.1', worker 2 has 'other"},
    {.name = "NameOfTheChief",
     .act_of_others = "impatient",
     .act = "host",
     .all_say = "worker 2, which never joined",
     .it_says = "NotFound: [ConnectControlPlane] the name of worker 0 (other"},
    {.name = "NameForTensors",
     .act = "address",
     .all_say = "NotFound: [MakeGlooGroup] worker 2 cannot listen on other"},
    {.name = "NumberOfElements",
     .act_of_others = "reduces",
     .act = "reduces_more",
     .all_say = "InvalidArgument: ",
     .all_go_on = true},
    {.name = "NumberOfExamples",
     .all_say =
         "FailedPrecondition: [GetNext] workers must shard the same data "
         "in the same way: worker 0 has DATA of ",
     .examples = "8"},
    {.name = "Call",
     .act_of_others = "reduces",
     .act = "gathers",
     .all_say = "FailedPrecondition: ",
     .all_go_on = true},
};

INSTANTIATE_TEST_SUITE_P(, MultiWorkerMisfitTest, testing::ValuesIn(kMisfits),
                         [](const auto& info) { return info.param.name; });

TEST(MultiWorkerProcessTest, WrongTokenIsRefused) {
  WorkerProcess chief(kProgram, {"0", "2", "0", "9"});
  const std::string port = std::to_string(std::stoi(chief.ReadLine()));
  WorkerProcess stranger(kProgram, {"1", "2", port, "9", "token"});
  EXPECT_EQ(stranger.ReadLine(), "Unauthenticated: [Join] wrong token\n");
  WorkerProcess other(kProgram, {"1", "2", port, "9", "impatient"});
  EXPECT_EQ(chief.ReadLine(), OfOneReplica(9));
  EXPECT_EQ(other.ReadLine(), OfOneReplica(9));
}

}  // namespace
}  // namespace lockstep
