#include "reference/cluster/slurm/slurm_cluster_resolver.h"

#include <gtest/gtest.h>

#include "reference/base/error_testing.h"
#include "reference/cluster/recorded_environments.h"
#include "reference/cluster/slurm/slurm_lists.h"

namespace lockstep {
namespace {

using Names = std::vector<std::string>;

ClusterSpec ResolveSlurm(const Variables& variables) {
  return SlurmClusterResolver(Environment(variables)).Resolve();
}

// Expects an error for the last of three tasks on two nodes, with `changes`.
void ExpectSlurmRefused(const Variables& changes, const std::string& words,
                        Code code = Code::kInvalidArgument) {
  ExpectError([&] { ResolveSlurm(With(changes, SrunProcessOnSecondNode())); },
              code, words);
}

TEST(SlurmListsTest, HostsAreThoseOfScontrol) {
  EXPECT_EQ(ExpandHostList("tux"), Names({"tux"}));
  EXPECT_EQ(ExpandHostList("tux[1-3,7]"),
            Names({"tux1", "tux2", "tux3", "tux7"}));
  EXPECT_EQ(ExpandHostList("b[01-02]"), Names({"b01", "b02"}));
  EXPECT_EQ(ExpandHostList("n[08-10],x"), Names({"n08", "n09", "n10", "x"}));
  EXPECT_EQ(ExpandHostList("n[9-10]"), Names({"n9", "n10"}));
  EXPECT_EQ(ExpandHostList("a[1-2]b[01-02]"),
            Names({"a1b01", "a1b02", "a2b01", "a2b02"}));
  EXPECT_EQ(ExpandHostList("r[1-2]c[1-2]n[1-2]"),
            Names({"r1c1n1", "r1c1n2", "r2c1n1", "r2c1n2", "r1c2n1", "r1c2n2",
                   "r2c2n1", "r2c2n2"}));
  EXPECT_EQ(ExpandHostList("a.b-c[5]"), Names({"a.b-c5"}));
  EXPECT_EQ(ExpandHostList("[1-2]"), Names({"1", "2"}));
  EXPECT_EQ(ExpandHostList("n[1-65536]").size(), 65536u);
}

TEST(SlurmListsTest, RefusesMalformedHostLists) {
  const auto refuse = [](const std::string& text, const std::string& words) {
    SCOPED_TRACE(text);
    ExpectError([&] { ExpandHostList(text); }, Code::kInvalidArgument,
                "[ExpandHostList] " + words);
  };
  refuse("",
         "wanted a host's name before this instead of '' at character 1, "
         "got the end in ''");
  refuse("gpu[08-10]a",
         "wanted nothing after the last bracket before this at character 12");
  refuse("n[1-2", "wanted ']' at character 6, got the end in 'n[1-2'");
  refuse("n[1[2]]", "wanted ']' at character 4, got '[2]]'");
  refuse("n]", "wanted a comma at character 2, got ']'");
  refuse("a,", "wanted a host's name");
  refuse(",a", "wanted a host's name");
  refuse("a b", "wanted a host's name before this instead of 'a b'");
  refuse("n[]", "wanted a number below 2147483648 at character 3, got ']'");
  refuse("n[1,]", "wanted a number");
  refuse("n[-1]", "wanted a number");
  refuse("n[99999999999999999999]", "wanted a number");
  refuse("n[" + std::string(100, '0') + "]", "wanted a number");
  refuse("n[2-1]", "wanted a range that ascends before this at character 6");
  refuse("n[08-9]", "wanted a range that ascends");
}

TEST(SlurmListsTest, RefusesTooManyEntries) {
  for (const char* text : {"n[1-65537]", "n[0-2147483647]", "a[1-300]b[1-300]",
                           "n[1-65536],m", "n[1-40000,1-40000]"}) {
    ExpectError([&] { ExpandHostList(text); }, Code::kInvalidArgument,
                "a list must have at most 65536 entries, got '");
  }
  std::string deep;
  for (int i = 0; i < 9; ++i) deep += "a[1]";
  ExpectError([&] { ExpandHostList(deep); }, Code::kInvalidArgument,
              "wanted fewer brackets before this");
  ExpectError([&] { ExpandHostList(std::string(300, 'a') + "[1-2]"); },
              Code::kInvalidArgument, "wanted a shorter host's name");
}

TEST(SlurmListsTest, TasksPerNodeAreRepeated) {
  using Counts = std::vector<int>;
  EXPECT_EQ(ExpandTasksPerNode("2"), Counts({2}));
  EXPECT_EQ(ExpandTasksPerNode("2(x2)"), Counts({2, 2}));
  EXPECT_EQ(ExpandTasksPerNode("2(x2),1"), Counts({2, 2, 1}));
  EXPECT_EQ(ExpandTasksPerNode("3,1"), Counts({3, 1}));
}

TEST(SlurmListsTest, RefusesMalformedTasksPerNode) {
  for (const char* text : {"", "x", "2,", "2(x)", "2(x2", "2(2)", "2(x0)", "-1",
                           "2(x2)3", "9999999999", "65537"}) {
    SCOPED_TRACE(text);
    ExpectError([&] { ExpandTasksPerNode(text); }, Code::kInvalidArgument,
                "[ExpandTasksPerNode] wanted ");
  }
  ExpectError([] { ExpandTasksPerNode("1(x65536),1"); }, Code::kInvalidArgument,
              "at most 65536 entries");
}

TEST(SlurmClusterResolverTest, ReadsTasksOfOneNode) {
  const ClusterSpec spec = ResolveSlurm(SrunProcess("1"));
  EXPECT_EQ(spec.origin(), "Slurm");
  EXPECT_EQ(spec.num_workers(), 2);
  EXPECT_EQ(spec.worker(), WorkerId(1));
  EXPECT_EQ(spec.local_rank(), 1);
  EXPECT_EQ(spec.local_size(), 2);
  EXPECT_EQ(spec.addresses(),
            (std::vector<WorkerAddress>{{"tux", 8888}, {"tux", 8889}}));
  EXPECT_EQ(spec.run_id(), "1.0.0");
}

TEST(SlurmClusterResolverTest, ReadsTasksOfTwoNodes) {
  const ClusterSpec spec =
      SlurmClusterResolver(Environment(With({{"MASTER_ADDR", "node1"},
                                             {"MASTER_PORT", "9"},
                                             {"SLURM_RESTART_COUNT", "2"}},
                                            SrunProcessOnSecondNode())),
                           9000)
          .Resolve();
  EXPECT_EQ(spec.worker(), WorkerId(2));
  EXPECT_EQ(spec.local_rank(), 0);
  EXPECT_EQ(spec.local_size(), 1);
  EXPECT_EQ(spec.addresses(),
            (std::vector<WorkerAddress>{
                {"node1", 9000}, {"node1", 9001}, {"node2", 9000}}));
  EXPECT_EQ(spec.master_host(), "node1");
  EXPECT_EQ(spec.master_port(), 9);
  EXPECT_EQ(spec.run_id(), "1.0.2");
}

TEST(SlurmClusterResolverTest, PlacesTasksInTurnIfSlurmDid) {
  const Variables second = With({{"SLURM_DISTRIBUTION", "cyclic:block"},
                                 {"SLURM_PROCID", "1"},
                                 {"SLURM_NODEID", "1"},
                                 {"SLURM_LOCALID", "0"}},
                                SrunProcessOnSecondNode());
  EXPECT_EQ(ResolveSlurm(second).addresses(),
            (std::vector<WorkerAddress>{
                {"node1", 8888}, {"node2", 8888}, {"node1", 8889}}));
  ExpectSlurmRefused({{"SLURM_DISTRIBUTION", "plane"}},
                     "SLURM_DISTRIBUTION must be block or cyclic, got 'plane'",
                     Code::kUnimplemented);
}

TEST(SlurmClusterResolverTest, PrefersTheStepToTheJob) {
  const Variables job = {{"SLURM_JOB_NODELIST", "node[1-9]"},
                         {"SLURM_TASKS_PER_NODE", "4(x9)"},
                         {"SLURM_NTASKS", "36"}};
  EXPECT_EQ(ResolveSlurm(With(job, SrunProcessOnSecondNode())).num_workers(),
            3);
  Variables older =
      With({{"SLURM_TASKS_PER_NODE", "2,1"}}, SrunProcessOnSecondNode());
  for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_STEP_NUM_TASKS",
                           "SLURM_STEP_TASKS_PER_NODE"}) {
    older.erase(name);
  }
  EXPECT_EQ(ResolveSlurm(older).addresses().size(), 3u);
}

TEST(SlurmClusterResolverTest, RefusesTheBatchScript) {
  ExpectError([] { ResolveSlurm(BatchScript()); }, Code::kFailedPrecondition,
              "[SlurmClusterResolver] SLURM_STEP_ID must be set, got an "
              "environment without it: start the program by srun");
}

TEST(SlurmClusterResolverTest, RefusesInconsistentLists) {
  ExpectSlurmRefused(
      {{"SLURM_STEP_NODELIST", "node[1-3]"}},
      "SLURM_STEP_NODELIST and SLURM_STEP_TASKS_PER_NODE must be of "
      "the same nodes, got 3 and 2 of them");
  ExpectSlurmRefused({{"SLURM_STEP_TASKS_PER_NODE", "2(x2)"}},
                     "SLURM_STEP_TASKS_PER_NODE must be of all 3 tasks, got 4");
  ExpectSlurmRefused({{"SLURM_STEP_TASKS_PER_NODE", "65536,3"}},
                     "must be of all 3 tasks, got 65539 of them");
  ExpectSlurmRefused(
      {{"SLURM_LOCALID", "1"}},
      "SLURM_NODEID and SLURM_LOCALID must be 1 and 0 by the list of "
      "tasks per node, got 1 and 1");
  ExpectSlurmRefused({{"SLURM_NODEID", "0"}}, "got 0 and 0");
  ExpectSlurmRefused({{"SLURM_STEP_NODELIST", "node1,node1"}},
                     "each worker must have its own address, got node1:8888");
}

TEST(SlurmClusterResolverTest, RefusesMalformedNumbers) {
  ExpectSlurmRefused(
      {{"SLURM_PROCID", "3"}},
      "SLURM_PROCID must be below the number of tasks (3), got 3");
  ExpectSlurmRefused({{"SLURM_PROCID", "-1"}},
                     "SLURM_PROCID must be an integer");
  ExpectSlurmRefused({{"SLURM_STEP_NUM_TASKS", "0"}},
                     "SLURM_STEP_NUM_TASKS must be an integer from 1 to 65536");
  ExpectSlurmRefused({{"SLURM_STEP_NODELIST", "gpu[08-10]a"}},
                     "[ExpandHostList]");
  ExpectError(
      [] {
        ResolveSlurm(Without(SrunProcess("1"), "SLURM_STEP_TASKS_PER_NODE"));
      },
      Code::kInvalidArgument, "SLURM_STEP_TASKS_PER_NODE must be set");
}

TEST(SlurmClusterResolverTest, RefusesPortsBeyondTheLast) {
  ExpectError(
      [] {
        SlurmClusterResolver(Environment(SrunProcess("1")), kLastPort)
            .Resolve();
      },
      Code::kInvalidArgument, "got 'tux' and 65536");
}

}  // namespace
}  // namespace lockstep
