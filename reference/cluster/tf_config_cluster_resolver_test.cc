#include "reference/cluster/tf_config_cluster_resolver.h"

#include <gtest/gtest.h>

#include "reference/base/error_testing.h"
#include "reference/cluster/recorded_environments.h"

namespace lockstep {
namespace {

ClusterSpec ResolveTfConfig(const std::string& config) {
  return TfConfigClusterResolver(Environment({{"TF_CONFIG", config}}))
      .Resolve();
}

void ExpectTfConfigRefused(const std::string& config, const std::string& words,
                           Code code = Code::kInvalidArgument) {
  SCOPED_TRACE(config);
  ExpectError([&] { ResolveTfConfig(config); }, code, words);
}

// Expects an error for a task of a valid cluster.
void ExpectTaskRefused(const std::string& task, const std::string& words,
                       Code code = Code::kInvalidArgument) {
  ExpectTfConfigRefused(
      R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": )" + task + "}", words,
      code);
}

// Expects an error for a cluster with a valid task.
void ExpectClusterRefused(const std::string& cluster, const std::string& words,
                          Code code = Code::kInvalidArgument) {
  ExpectTfConfigRefused(R"({"cluster": )" + cluster +
                            R"(, "task": {"type": "worker", "index": 0}})",
                        words, code);
}

TEST(TfConfigClusterResolverTest, ReadsATfJob) {
  const ClusterSpec spec =
      TfConfigClusterResolver(Environment(TfJobPod("1"))).Resolve();
  EXPECT_EQ(spec.origin(), "TF_CONFIG");
  EXPECT_EQ(spec.num_workers(), 2);
  EXPECT_EQ(spec.worker(), WorkerId(1));
  EXPECT_EQ(spec.addresses()[1].ToString(), "fit-worker-1.ml.svc:2222");
}

TEST(TfConfigClusterResolverTest, CountsTheChiefFirst) {
  const std::string cluster =
      R"({"cluster": {"worker": ["b:2", "c:3"], "chief": ["a:1"]}, "task": )";
  const ClusterSpec chief =
      ResolveTfConfig(cluster + R"({"type": "chief", "index": 0}})");
  EXPECT_EQ(chief.num_workers(), 3);
  EXPECT_TRUE(chief.is_chief());
  const ClusterSpec worker =
      ResolveTfConfig(cluster + R"({"type": "worker", "index": 0}})");
  EXPECT_EQ(worker.worker(), WorkerId(1));
  EXPECT_FALSE(worker.is_chief());
  EXPECT_EQ(worker.addresses(),
            (std::vector<WorkerAddress>{{"a", 1}, {"b", 2}, {"c", 3}}));
}

TEST(TfConfigClusterResolverTest, IsOneProcessWithoutACluster) {
  EXPECT_EQ(
      TfConfigClusterResolver(Environment(Variables())).Resolve().origin(),
      "nothing");
  for (const char* config :
       {"{}", R"({"cluster": {}})", R"({"cluster": null, "task": null})",
        R"({"task": {"type": "worker", "index": 0}})",
        R"({"cluster": {}, "task": {}})"}) {
    EXPECT_EQ(ResolveTfConfig(config).num_workers(), 1) << config;
    EXPECT_EQ(ResolveTfConfig(config).origin(), "nothing") << config;
  }
}

TEST(TfConfigClusterResolverTest, IgnoresEvaluatorsAndOtherFields) {
  const ClusterSpec spec = ResolveTfConfig(
      R"({"cluster": {"worker": ["a:1", "b:2"], "evaluator": ["c:3"],
                      "ps": []},
          "task": {"type": "worker", "index": "1"},
          "rpc_layer": "grpc", "environment": "cloud", "job": [[[[1]]]]})");
  EXPECT_EQ(spec.num_workers(), 2);
  EXPECT_EQ(spec.worker(), WorkerId(1));
}

TEST(TfConfigClusterResolverTest, RefusesMalformedJson) {
  ExpectTfConfigRefused(
      R"({"cluster": {"worker": ["a:1")",
      "TF_CONFIG is not JSON: [json.exception.parse_error.101] parse "
      "error at line 1, column 30");
  ExpectTfConfigRefused("", "line 1, column 1");
  ExpectTfConfigRefused("{worker", "line 1, column 2");
  ExpectTfConfigRefused(R"({"task": 1, "task": 2})", "duplicate field 'task'");
  ExpectTfConfigRefused(std::string(100000, '['),
                        "nested deeper than 32 levels");
}

TEST(TfConfigClusterResolverTest, RefusesFieldsOfAnotherType) {
  ExpectTfConfigRefused(
      "[]",
      "[TfConfigClusterResolver] TF_CONFIG must be an object, "
      "got '[]' (array)");
  ExpectTfConfigRefused(R"({"cluster": 3})",
                        "cluster must be an object, got '3'");
  ExpectClusterRefused(R"({"worker": "a:1"})",
                       "the addresses of 'worker' must be a list");
  ExpectClusterRefused(R"({"worker": [1]})",
                       "an address of 'worker' must be text, got '1' (number)");
  ExpectClusterRefused(R"({"worker": ["a"]})",
                       "an address must be host:port with a port from 1 to "
                       "65535, got 'a'");
  ExpectTaskRefused("7", "task must be an object, got '7'");
  ExpectTaskRefused(R"({"type": 1, "index": 0})", "task.type must be text");
}

TEST(TfConfigClusterResolverTest, RefusesAnInvalidCluster) {
  ExpectClusterRefused(R"({"worker": []})",
                       "a cluster must have a chief or workers, got neither");
  ExpectClusterRefused(R"({"chief": ["a:1", "b:2"]})",
                       "a cluster must have at most one chief, got 2");
  ExpectClusterRefused(R"({"master": ["a:1"], "chief": ["b:1"]})",
                       "a job of the cluster must be chief, worker, evaluator "
                       "or ps, got 'master'");
  ExpectClusterRefused(R"({"worker": ["a:1", "b:2", "a:1"]})",
                       "each worker must have its own address, got a:1 for "
                       "workers 0 and 2");
  ExpectClusterRefused(R"({"chief": ["a:1"], "worker": ["a:1"]})",
                       "got a:1 for workers 0 and 1");
}

TEST(TfConfigClusterResolverTest, RefusesAnInvalidTask) {
  ExpectTfConfigRefused(R"({"cluster": {"worker": ["a:1"]}})",
                        "TF_CONFIG must have the field 'task'");
  ExpectTaskRefused(R"({"index": 0})", "task must have the field 'type'");
  ExpectTaskRefused(R"({"type": "worker"})",
                    "task must have the field 'index'");
  ExpectTaskRefused(R"({"type": "worker", "index": 2})",
                    "task.index must be below the 2 tasks of type worker, got "
                    "2");
  for (const char* index : {"-1", "0.5", "\"1x\"", "\"-1\"", "[0]", "true",
                            "18446744073709551615", "100000000000000000000"}) {
    ExpectTaskRefused(
        R"({"type": "worker", "index": )" + std::string(index) + "}",
        "task.index must be an integer from 0 on, got");
  }
  ExpectTaskRefused(R"({"type": "chief", "index": 0})",
                    "task.type must be one that the cluster has, got chief");
  for (const char* type : {"trainer", "Worker", ""}) {
    ExpectTaskRefused(
        R"({"type": ")" + std::string(type) + R"(", "index": 0})",
        "task.type must be chief, worker, evaluator or ps, got '");
  }
  ExpectTfConfigRefused(
      R"({"task": {"type": "worker", "index": 1}})",
      "TF_CONFIG must have a cluster where it has a task, got worker "
      "1 alone");
}

TEST(TfConfigClusterResolverTest, NamesWhatIsUnimplemented) {
  const auto code = Code::kUnimplemented;
  ExpectTaskRefused(R"({"type": "ps", "index": 0})",
                    "task.type must be chief or worker, got ps", code);
  ExpectTaskRefused(R"({"type": "evaluator", "index": 0})",
                    "task.type must be chief or worker, got evaluator", code);
  ExpectClusterRefused(R"({"worker": ["a:1"], "ps": ["c:3"]})",
                       "got one with 1 parameter servers (ps)", code);
  ExpectClusterRefused(R"({"worker": {"1": "b:2"}})",
                       "must be a list of all, got a map of some", code);
  ExpectTfConfigRefused(
      R"({"sparseCluster": {"worker": {"1": "b:2"}},
                    "task": {"type": "worker", "index": 1}})",
      "must list all workers in 'cluster', got a 'sparseCluster'", code);
}

}  // namespace
}  // namespace lockstep
