#include "reference/cluster/environment_cluster_resolver.h"

#include <gtest/gtest.h>

#include "reference/base/error_testing.h"
#include "reference/cluster/recorded_environments.h"

namespace lockstep {
namespace {

ClusterSpec Resolve(const Variables& variables) {
  return EnvironmentClusterResolver(Environment(variables)).Resolve();
}

void ExpectRefused(const Variables& variables, const std::string& words,
                   Code code = Code::kInvalidArgument) {
  ExpectError([&] { Resolve(variables); }, code, words);
}

TEST(EnvironmentClusterResolverTest, TakesTheLauncherThatIsPresent) {
  const std::pair<const char*, Variables> launchers[] = {
      {"TF_CONFIG", TfJobPod("1")},     {"torchrun", TorchrunProcess("1")},
      {"Open MPI", MpirunProcess("1")}, {"Slurm", SrunProcess("1")},
      {"Kubernetes", IndexedPod("1")},
  };
  for (const auto& [name, variables] : launchers) {
    const ClusterSpec spec = Resolve(variables);
    EXPECT_EQ(spec.origin(), name);
    EXPECT_EQ(spec.num_workers(), 2) << name;
    EXPECT_EQ(spec.worker(), WorkerId(1)) << name;
  }
}

TEST(EnvironmentClusterResolverTest, IsOneProcessWithoutALauncher) {
  const Variables alone[] = {
      {},
      {{"PATH", "/usr/bin"}, {"HOSTNAME", "tux"}},
      {{"TF_CONFIG", "{}"}},
      {{"WORLD_SIZE", "1"}},
      With({{"SLURM_NTASKS", "1"}}, BatchScript()),
  };
  for (const Variables& variables : alone) {
    EXPECT_EQ(Resolve(variables).origin(), "nothing");
    EXPECT_EQ(Resolve(variables).num_workers(), 1);
  }
}

TEST(EnvironmentClusterResolverTest, PassesItsPortOn) {
  const auto port = [](const Variables& variables) {
    return EnvironmentClusterResolver(Environment(variables), 7000)
        .Resolve()
        .addresses()[0]
        .port;
  };
  EXPECT_EQ(port(SrunProcess("0")), 7000);
  EXPECT_EQ(port(IndexedPod("0")), 7000);
}

TEST(EnvironmentClusterResolverTest, TakesTheFirstOfThoseThatAgree) {
  const Variables slurm = SrunProcess("1"), pod = IndexedPod("1");
  const Variables by_hand = {{"RANK", "1"}, {"WORLD_SIZE", "2"}};
  EXPECT_EQ(Resolve(With(TfJobPod("1"), With(by_hand, slurm))).origin(),
            "TF_CONFIG");
  EXPECT_EQ(Resolve(With(by_hand, MpirunProcess("1"))).origin(), "torchrun");
  EXPECT_EQ(Resolve(With(by_hand, slurm)).origin(), "torchrun");
  EXPECT_EQ(Resolve(With(slurm, pod)).origin(), "Slurm");
}

TEST(EnvironmentClusterResolverTest, RefusesThoseThatDisagree) {
  ExpectRefused(With(TfJobPod("0"), SrunProcess("1")),
                "[EnvironmentClusterResolver] launchers must agree which "
                "worker this is, got 0 of 2 by TF_CONFIG and 1 of 2 by Slurm");
  ExpectRefused(With(TfJobPod("1"), SrunProcessOnSecondNode()),
                "got 1 of 2 by TF_CONFIG and 2 of 3 by Slurm");
  ExpectRefused(With(TfJobPod("0"), TorchrunProcess("1")),
                "0 of 2 by TF_CONFIG and 1 of 2 by torchrun");
  ExpectRefused(With({{"RANK", "0"}, {"WORLD_SIZE", "2"}}, MpirunProcess("1")),
                "0 of 2 by torchrun and 1 of 2 by Open MPI");
  ExpectRefused(With(SrunProcess("0"), IndexedPod("1")),
                "0 of 2 by Slurm and 1 of 2 by Kubernetes");
  // A variable that a script exports before srun is the same for all tasks.
  ExpectRefused(With({{"RANK", "0"}, {"WORLD_SIZE", "2"}}, SrunProcess("1")),
                "0 of 2 by torchrun and 1 of 2 by Slurm");
}

// The outer launcher started one process per machine, the inner one two on
// each.
TEST(EnvironmentClusterResolverTest, IgnoresALauncherThatStartedAnother) {
  const Variables inner =
      With({{"RANK", "3"}, {"WORLD_SIZE", "4"}}, TorchrunProcess("1"));
  EXPECT_EQ(Resolve(With(inner, SrunProcess("1"))).worker(), WorkerId(3));
  EXPECT_EQ(Resolve(With(inner, MpirunProcess("1"))).worker(), WorkerId(3));
  EXPECT_EQ(Resolve(With(inner, IndexedPod("1"))).worker(), WorkerId(3));
  const Variables mpirun =
      With({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}},
           MpirunProcess("1"));
  EXPECT_EQ(Resolve(With(mpirun, SrunProcess("1"))).worker(), WorkerId(3));
  EXPECT_EQ(Resolve(With(mpirun, BatchScript())).worker(), WorkerId(3));
}

TEST(EnvironmentClusterResolverTest, AnIndexedJobMayContainOtherLaunchers) {
  const Variables pod = {{"JOB_COMPLETION_INDEX", "1"}, {"HOSTNAME", "fit-1"}};
  EXPECT_EQ(Resolve(With(pod, TfJobPod("0"))).worker(), WorkerId(0));
  ExpectRefused(pod, "LOCKSTEP_NUM_WORKERS must be set");
}

TEST(EnvironmentClusterResolverTest, RefusesABatchScriptForSeveralTasks) {
  ExpectRefused(BatchScript(), "start the program by srun",
                Code::kFailedPrecondition);
  EXPECT_EQ(Resolve(With(TfJobPod("1"), BatchScript())).origin(), "TF_CONFIG");
}

TEST(EnvironmentClusterResolverTest, ComparesWorldSizeAlone) {
  EXPECT_EQ(Resolve(With({{"WORLD_SIZE", "2"}}, SrunProcess("1"))).origin(),
            "Slurm");
  ExpectRefused(With({{"WORLD_SIZE", "4"}}, SrunProcess("1")),
                "WORLD_SIZE without RANK must be 2, the number of workers by "
                "Slurm, got 4");
  ExpectRefused({{"WORLD_SIZE", "4"}},
                "WORLD_SIZE without RANK must be 1, the number of workers by "
                "nothing, got 4");
}

TEST(EnvironmentClusterResolverTest, RefusesInconsistentVariables) {
  ExpectRefused({{"RANK", "1"}}, "WORLD_SIZE must be set");
  ExpectRefused({{"TF_CONFIG", "{"}}, "TF_CONFIG is not JSON");
  ExpectRefused(Without(TorchrunProcess("1"), "RANK"), "RANK must be set");
}

}  // namespace
}  // namespace lockstep
