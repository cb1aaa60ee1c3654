// The errors of a process that no MPI launcher started.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/cluster/control/control_plane_testing.h"
#include "reference/collectives/mpi/backoff.h"
#include "reference/collectives/mpi/mpi_group.h"

namespace lockstep {
namespace {

TEST(WithoutMpirunTest, EveryWorkerGetsTheErrorAndMpiIsNotLoaded) {
  ASSERT_EQ(std::getenv("PMIX_NAMESPACE"), nullptr);
  const auto planes = MakeThreadControlPlanes(2);
  std::vector<std::thread> threads;
  for (const auto& plane : planes) {
    threads.emplace_back([&] {
      ExpectError([&] { MakeMpiGroup(*plane, {}); }, Code::kFailedPrecondition,
                  "[MakeMpiGroup] mpirun, or srun --mpi=pmix, must start");
      plane->Barrier("the job goes on", kNoDeadline);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(dlopen("libmpi.so.40", RTLD_NOW | RTLD_NOLOAD), nullptr);
}

// A launcher's variables, without the launcher.
class Variables {
 public:
  explicit Variables(const char* num_processes) {
    setenv("PMIX_NAMESPACE", "17", 1);
    setenv("PMIX_RANK", "0", 1);
    setenv("OMPI_COMM_WORLD_SIZE", num_processes, 1);
  }
  ~Variables() {
    for (const char* name :
         {"PMIX_NAMESPACE", "PMIX_RANK", "OMPI_COMM_WORLD_SIZE"}) {
      unsetenv(name);
    }
  }
};

// mpirun started other programs too, or this program started the workers.
TEST(WithoutMpirunTest, AJobOfAnotherSizeIsRefused) {
  const Variables variables("3");
  EXPECT_FALSE(WhyNoMpi(3));
  const auto error = WhyNoMpi(2);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Code::kFailedPrecondition);
  EXPECT_STREQ(error->what(),
               "[MakeMpiGroup] the launcher must start the 2 workers and "
               "nothing else, it started 3 processes");
}

// Processes that a process of mpirun started inherit its variables.
TEST(WithoutMpirunTest, TwoWorkersThatAreOneProcessOfTheJobAreRefused) {
  const Variables variables("2");
  const auto planes = MakeThreadControlPlanes(2);
  std::vector<std::thread> threads;
  for (const auto& plane : planes) {
    threads.emplace_back([&] {
      ExpectError([&] { MakeMpiGroup(*plane, {}); }, Code::kFailedPrecondition,
                  "worker 0 is process 0 of job '17', worker 1 is 0 of '17'");
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(WithoutMpirunTest, AWorkerThatNeverComesIsNamed) {
  const auto planes = MakeThreadControlPlanes(2);
  ExpectError(
      [&] {
        MakeMpiGroup(*planes[0],
                     {.connect_limit = std::chrono::milliseconds(20)});
      },
      Code::kDeadlineExceeded, "worker 1");
}

TEST(BackoffTest, ALongWaitSleeps) {
  collectives_internal::Backoff backoff;
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  int looks = 0;
  for (; std::chrono::steady_clock::now() < end; ++looks) backoff.Rest();
  // 0.3 ms without sleep, then some 200 sleeps of 1 ms. 200 ms without sleep
  // would be more than a hundred thousand polls.
  EXPECT_LT(looks, 10'000);
  EXPECT_GT(looks, 20);
}

}  // namespace
}  // namespace lockstep
