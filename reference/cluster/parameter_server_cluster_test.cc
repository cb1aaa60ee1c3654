#include "reference/cluster/parameter_server_cluster.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

// TF_CONFIG with these jobs (in JSON) and this task.
ParameterServerCluster Read(const std::string& jobs, const std::string& type,
                            const std::string& index = "0") {
  return ParameterServerClusterOfTfConfig(Environment(
      {{"TF_CONFIG", R"({"cluster": {)" + jobs + R"(}, "task": {"type": ")" +
                         type + R"(", "index": )" + index + "}}"}}));
}

constexpr char kAll[] =
    R"("chief": ["a:1"], "worker": ["b:2", "c:2"], "ps": ["d:3", "e:3"])";

TEST(ParameterServerClusterTest, HasAllJobs) {
  const ParameterServerCluster cluster = Read(kAll, "worker", "1");
  EXPECT_EQ(cluster.role, ParameterServerRole::kWorker);
  EXPECT_EQ(cluster.index, 1);
  EXPECT_EQ(cluster.coordinator, (WorkerAddress{"a", 1}));
  EXPECT_EQ(cluster.workers, (std::vector<WorkerAddress>{{"b", 2}, {"c", 2}}));
  EXPECT_EQ(cluster.servers, (std::vector<WorkerAddress>{{"d", 3}, {"e", 3}}));
  EXPECT_EQ(cluster.own_address(), (WorkerAddress{"c", 2}));
}

TEST(ParameterServerClusterTest, HasEveryRole) {
  EXPECT_EQ(Read(kAll, "chief").own_address(), (WorkerAddress{"a", 1}));
  EXPECT_EQ(Read(kAll, "ps", "1").role, ParameterServerRole::kServer);
  EXPECT_EQ(Read(kAll, "ps", "1").own_address(), (WorkerAddress{"e", 3}));
  const std::string with_evaluator =
      std::string(kAll) + R"(, "evaluator": ["f:4", "g:4"])";
  EXPECT_EQ(Read(with_evaluator, "evaluator", "1").role,
            ParameterServerRole::kEvaluator);
  EXPECT_EQ(NameOf(ParameterServerRole::kServer), "ps");
}

TEST(ParameterServerClusterTest, RefusesIncompleteClusters) {
  const auto refuse = [](const char* jobs, const char* words) {
    ExpectError([&] { Read(jobs, "worker"); }, Code::kInvalidArgument, words);
  };
  refuse(R"("worker": ["b:2"], "ps": ["d:3"])", "without a chief");
  refuse(R"("chief": ["a:1"], "worker": ["b:2"])", "without a ps");
  refuse(R"("chief": ["a:1"], "worker": ["b:2"], "ps": [])", "without a ps");
  refuse(R"("chief": ["a:1", "z:1"], "worker": ["b:2"], "ps": ["d:3"])",
         "at most one chief");
  refuse(R"("chief": ["a:1"], "worker": ["b:2"], "ps": ["b:2"])",
         "got b:2 twice");
  ExpectError([] { Read(R"("chief": ["a:1"], "ps": ["d:3"])", "chief"); },
              Code::kInvalidArgument, "without a worker");
}

TEST(ParameterServerClusterTest, RefusesOtherTasks) {
  ExpectError([] { Read(kAll, "ps", "2"); }, Code::kInvalidArgument,
              "task.index must be below the 2 tasks of type ps, got 2");
  ExpectError([] { Read(kAll, "server"); }, Code::kInvalidArgument, "server");
  ExpectError([] { Read(kAll, "evaluator"); }, Code::kInvalidArgument,
              "one that the cluster has, got evaluator");
}

TEST(ParameterServerClusterTest, NeedsTfConfig) {
  ExpectError(
      [] {
        ParameterServerClusterOfTfConfig(
            Environment(std::map<std::string, std::string>()));
      },
      Code::kFailedPrecondition, "no TF_CONFIG");
  ExpectError(
      [] {
        ParameterServerClusterOfTfConfig(Environment({{"TF_CONFIG", "{}"}}));
      },
      Code::kFailedPrecondition, "no TF_CONFIG");
}

TEST(ParameterServerClusterTest, ChecksClustersOfTheProgram) {
  const ParameterServerCluster cluster{.role = ParameterServerRole::kWorker,
                                       .index = 1,
                                       .coordinator = {},
                                       .workers = {{"a", 1}},
                                       .servers = {{"b", 1}}};
  ExpectError([&] { CheckParameterServerCluster(cluster); },
              Code::kInvalidArgument, "below the 1 tasks of type worker");
}

}  // namespace
}  // namespace lockstep
