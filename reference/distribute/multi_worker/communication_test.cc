// The implementation that workers use without a launcher of MPI. With mpirun:
// //reference/training:multi_worker_training_test.
#include "reference/distribute/multi_worker/communication.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "reference/cluster/control/control_plane_testing.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/collectives/mesh/gpu_sums.h"

namespace lockstep {
namespace {

using enum CommunicationImplementation;

// For each of two workers with replicas on `devices`: the algorithm of its
// group, or an error.
std::vector<std::string> Outcomes(CommunicationImplementation first,
                                  CommunicationImplementation second,
                                  const std::vector<Device*>& devices = {
                                      &Device::Host(), &Device::Host()}) {
  const auto planes = MakeThreadControlPlanes(2);
  const CommunicationImplementation wanted[] = {first, second};
  std::vector<std::string> outcomes(2);
  std::vector<std::thread> threads;
  for (int w = 0; w < 2; ++w) {
    threads.emplace_back([&, w] {
      try {
        const auto group =
            MakeGroupOfWorkers(*planes[w], {.implementation = wanted[w]},
                               *devices[w], kNoDeadline);
        group->Barrier({});
        outcomes[w] = group->algorithm();
      } catch (const Error& error) {
        outcomes[w] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

TEST(CommunicationTest, UsesGlooWithoutMpiLauncher) {
  for (const auto implementation : {kAuto, kGloo}) {
    EXPECT_EQ(Outcomes(implementation, implementation),
              (std::vector<std::string>(2, "GlooAllReduce")));
  }
}

TEST(CommunicationTest, ExplainsOnAllWhyThereIsNoMpi) {
  for (const std::string& outcome : Outcomes(kMpi, kMpi)) {
    EXPECT_TRUE(outcome.starts_with("[MakeMpiGroup] mpirun, or srun"))
        << outcome;
  }
}

TEST(CommunicationTest, RefusesDifferentRequests) {
  for (const std::string& outcome : Outcomes(kGloo, kMpi)) {
    EXPECT_EQ(outcome,
              "[MultiWorkerMirroredStrategy] workers must request the same "
              "implementation: worker 0 requests gloo, worker 1 requests mpi");
  }
}

// No values are added in this test.
class NoSums final : public collectives_internal::GpuSums {
 public:
  std::string_view algorithm() const override { return "NcclAllReduce"; }
  void Sum(const TensorList&, TensorList&,
           const std::function<void()>&) override {}
};

TEST(CommunicationTest, UsesNcclIfAllAreOnGpus) {
  FakeGpuCollectives gpus(2);
  gpus.make_nccl_between = [](ControlPlane&, Device&) {
    return std::make_shared<NoSums>();
  };
  const std::vector<Device*> both = {&gpus.gpu(0), &gpus.gpu(1)};
  EXPECT_EQ(Outcomes(kAuto, kAuto, both),
            (std::vector<std::string>(2, "GlooAllReduce")));
  for (const std::string& outcome : Outcomes(kNccl, kNccl, both)) {
    EXPECT_EQ(outcome,
              "[MultiWorkerMirroredStrategy] this program has no NCCL");
  }
  gpus.nccl = NcclFeatures{.version = 22809};
  for (const auto implementation : {kAuto, kNccl}) {
    EXPECT_EQ(Outcomes(implementation, implementation, both),
              (std::vector<std::string>(2, "NcclAllReduce")));
  }
  EXPECT_EQ(Outcomes(kAuto, kAuto, {&gpus.gpu(0), &Device::Host()}),
            (std::vector<std::string>(2, "GlooAllReduce")));
}

TEST(CommunicationTest, RefusesNcclWithoutGpus) {
  for (const std::string& outcome : Outcomes(kNccl, kNccl)) {
    EXPECT_EQ(outcome,
              "[MultiWorkerMirroredStrategy] NCCL is for replicas on GPUs, got "
              "CPU:0");
  }
}

}  // namespace
}  // namespace lockstep
