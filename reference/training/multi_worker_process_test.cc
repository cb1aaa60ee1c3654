// Workers in processes of their own, over gRPC and Gloo or MPI, train as one
// replica does.

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "reference/cluster/control/worker_process_testing.h"
#include "reference/collectives/mpi/mpirun_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/training/linear_training.h"

namespace lockstep {
namespace {

constexpr char kProgram[] = "reference/training/multi_worker_worker";

std::string OfOneReplica(int64_t examples) {
  const auto one = MakeStrategy(1);
  const LinearOutcome outcome = LinearTraining(*one).Train(examples);
  return fmt::format("{} {}\n", fmt::join(outcome.losses, ","),
                     fmt::join(outcome.weights, ","));
}

// 9 examples leave the last batch with one row, for one of four replicas.
TEST(MultiWorkerProcessTest, TwoOfTwoReplicasTrainAsOneDoes) {
  for (const char* examples : {"8", "9"}) {
    WorkerProcess chief(kProgram, {"0", "2", "0", examples});
    const std::string port = std::to_string(std::stoi(chief.ReadLine()));
    WorkerProcess other(kProgram, {"1", "2", port, examples});
    const std::string expected = OfOneReplica(std::stoi(examples));
    EXPECT_EQ(chief.ReadLine(), expected);
    EXPECT_EQ(other.ReadLine(), expected);
  }
}

TEST(MultiWorkerProcessTest, WorkersThatMpirunStartedTrainOverMpi) {
  WorkerProcess job("/usr/bin/env", MpirunArguments(2, kProgram, {"9"}));
  const std::string expected = "tensors by MpiAllReduce " + OfOneReplica(9);
  EXPECT_EQ(job.ReadLine(), expected);
  EXPECT_EQ(job.ReadLine(), expected);
  EXPECT_EQ(job.ReadLine(), "");
}

TEST(MultiWorkerProcessTest, AWorkerThatEndsMakesTheOthersUnavailable) {
  WorkerProcess chief(kProgram, {"0", "3", "0", "8"});
  const std::string port = std::to_string(std::stoi(chief.ReadLine()));
  WorkerProcess second(kProgram, {"1", "3", port, "8"});
  WorkerProcess killed(kProgram, {"2", "3", port, "8", "killed"});
  EXPECT_EQ(chief.ReadLine().substr(0, 12), "Unavailable:");
  EXPECT_EQ(second.ReadLine().substr(0, 12), "Unavailable:");
}

}  // namespace
}  // namespace lockstep
