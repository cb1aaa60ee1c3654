#include "reference/cluster/launcher_cluster_resolvers.h"

#include <gtest/gtest.h>

#include "reference/base/error_testing.h"
#include "reference/cluster/kubernetes_cluster_resolver.h"
#include "reference/cluster/recorded_environments.h"

namespace lockstep {
namespace {

template <typename Resolver>
void ExpectRefusedBy(const Variables& variables, const std::string& words) {
  ExpectError([&] { Resolver(Environment(variables)).Resolve(); },
              Code::kInvalidArgument, words);
}

TEST(TorchrunClusterResolverTest, ReadsTorchrun) {
  const ClusterSpec spec =
      TorchrunClusterResolver(Environment(TorchrunProcess("1"))).Resolve();
  EXPECT_EQ(spec.origin(), "torchrun");
  EXPECT_EQ(spec.num_workers(), 2);
  EXPECT_EQ(spec.worker(), WorkerId(1));
  EXPECT_EQ(spec.local_rank(), 1);
  EXPECT_EQ(spec.local_size(), 2);
  EXPECT_TRUE(spec.addresses().empty());
  EXPECT_EQ(spec.master_host(), "localhost");
  EXPECT_EQ(spec.master_port(), 29500);
  EXPECT_TRUE(spec.is_master_port_taken());
  EXPECT_EQ(spec.run_id(), "ab12.1");
}

// Kubeflow's PyTorchJob: pods without torchrun.
TEST(TorchrunClusterResolverTest, ReadsAPyTorchJob) {
  const ClusterSpec spec =
      TorchrunClusterResolver(Environment({{"MASTER_ADDR", "fit-master-0"},
                                           {"MASTER_PORT", "23456"},
                                           {"WORLD_SIZE", "3"},
                                           {"RANK", "2"}}))
          .Resolve();
  EXPECT_EQ(spec.worker(), WorkerId(2));
  EXPECT_EQ(spec.local_rank(), std::nullopt);
  EXPECT_FALSE(spec.is_master_port_taken());
  EXPECT_EQ(spec.run_id(), "");
}

TEST(TorchrunClusterResolverTest, RefusesMissingNumbers) {
  const Variables recorded = TorchrunProcess("1");
  ExpectRefusedBy<TorchrunClusterResolver>(
      Without(recorded, "WORLD_SIZE"),
      "[TorchrunClusterResolver] WORLD_SIZE must be set");
  ExpectRefusedBy<TorchrunClusterResolver>(Without(recorded, "RANK"),
                                           "RANK must be set");
  ExpectRefusedBy<TorchrunClusterResolver>({}, "RANK must be set");
}

TEST(TorchrunClusterResolverTest, RefusesMalformedNumbers) {
  const Variables recorded = TorchrunProcess("1");
  const auto refuse = [&](const char* name, const char* value,
                          const std::string& words) {
    ExpectRefusedBy<TorchrunClusterResolver>(With({{name, value}}, recorded),
                                             words);
  };
  for (const char* value : {"", "-1", "x", "1.5", "99999999999999999999"}) {
    refuse("RANK", value, "RANK must be an integer from 0 to");
  }
  refuse("RANK", "2", "RANK must be below WORLD_SIZE (2), got 2");
  for (const char* value : {"0", "65537", "two"}) {
    refuse("WORLD_SIZE", value,
           "WORLD_SIZE must be an integer from 1 to 65536, got '");
  }
  refuse("LOCAL_RANK", "2", "LOCAL_RANK must be an integer from 0 to 1");
  refuse("LOCAL_WORLD_SIZE", "3",
         "LOCAL_WORLD_SIZE must be an integer from 1 to 2, got '3'");
  for (const char* value : {"", "0", "65536", "http"}) {
    refuse("MASTER_PORT", value,
           "MASTER_PORT must be an integer from 1 to 65535, got '");
  }
  refuse("MASTER_ADDR", "a:1/b",
         "MASTER_ADDR must be a host's name or address, got 'a:1/b'");
}

TEST(OpenMpiClusterResolverTest, ReadsMpirun) {
  const ClusterSpec spec =
      OpenMpiClusterResolver(Environment(MpirunProcess("1"))).Resolve();
  EXPECT_EQ(spec.origin(), "Open MPI");
  EXPECT_EQ(spec.num_workers(), 2);
  EXPECT_EQ(spec.worker(), WorkerId(1));
  EXPECT_EQ(spec.local_rank(), 1);
  EXPECT_EQ(spec.local_size(), 2);
  EXPECT_EQ(spec.master_host(), std::nullopt);
  EXPECT_EQ(spec.run_id(), "1234567169");
}

// Each machine has its own local ranks: LOCAL_RANK is not RANK.
TEST(OpenMpiClusterResolverTest, TakesAMasterFromItsUser) {
  const ClusterSpec spec =
      OpenMpiClusterResolver(
          Environment(With({{"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"},
                            {"MASTER_ADDR", "10.0.0.1"},
                            {"MASTER_PORT", "3333"}},
                           MpirunProcess("1"))))
          .Resolve();
  EXPECT_EQ(spec.worker(), WorkerId(1));
  EXPECT_EQ(spec.local_rank(), 0);
  EXPECT_EQ(spec.master_host(), "10.0.0.1");
  EXPECT_EQ(spec.master_port(), 3333);
}

TEST(OpenMpiClusterResolverTest, RefusesInconsistentVariables) {
  ExpectRefusedBy<OpenMpiClusterResolver>(
      Without(MpirunProcess("1"), "OMPI_COMM_WORLD_SIZE"),
      "[OpenMpiClusterResolver] OMPI_COMM_WORLD_SIZE must be set");
  ExpectRefusedBy<OpenMpiClusterResolver>(
      MpirunProcess("2"),
      "OMPI_COMM_WORLD_RANK must be below OMPI_COMM_WORLD_SIZE (2), got 2");
}

TEST(KubernetesClusterResolverTest, NamesThePods) {
  const ClusterSpec spec =
      KubernetesClusterResolver(Environment(IndexedPod("1")), 2222).Resolve();
  EXPECT_EQ(spec.origin(), "Kubernetes");
  EXPECT_EQ(spec.worker(), WorkerId(1));
  EXPECT_EQ(spec.addresses(),
            (std::vector<WorkerAddress>{{"fit-0.training", 2222},
                                        {"fit-1.training", 2222}}));
}

TEST(KubernetesClusterResolverTest, HasNoAddressesWithoutAService) {
  const ClusterSpec spec = KubernetesClusterResolver(
                               Environment({{"JOB_COMPLETION_INDEX", "1"},
                                            {"LOCKSTEP_NUM_WORKERS", "2"},
                                            {"MASTER_ADDR", "fit-0.training"}}))
                               .Resolve();
  EXPECT_TRUE(spec.addresses().empty());
  EXPECT_EQ(spec.num_workers(), 2);
  EXPECT_EQ(spec.master_host(), "fit-0.training");
}

TEST(KubernetesClusterResolverTest, RefusesInconsistentVariables) {
  const Variables pod = IndexedPod("1");
  const auto refuse = ExpectRefusedBy<KubernetesClusterResolver>;
  refuse(Without(pod, "LOCKSTEP_NUM_WORKERS"),
         "[KubernetesClusterResolver] LOCKSTEP_NUM_WORKERS must be set");
  refuse(Without(pod, "JOB_COMPLETION_INDEX"),
         "JOB_COMPLETION_INDEX must be set");
  refuse(IndexedPod("2"),
         "JOB_COMPLETION_INDEX must be below "
         "LOCKSTEP_NUM_WORKERS (2), got 2");
  refuse(Without(pod, "HOSTNAME"), "HOSTNAME must be set");
  for (const char* host : {"machine7", "-1", "fit-0"}) {
    refuse(With({{"HOSTNAME", host}}, pod),
           "HOSTNAME must be the job's name and '-1' where LOCKSTEP_SERVICE is "
           "set, got '");
  }
  refuse(With({{"LOCKSTEP_SERVICE", ""}}, pod),
         "LOCKSTEP_SERVICE must be a name, got ''");
}

}  // namespace
}  // namespace lockstep
