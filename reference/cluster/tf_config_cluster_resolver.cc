#include "reference/cluster/tf_config_cluster_resolver.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/json.h"

namespace lockstep {
namespace {

constexpr const char* kOperation = "TfConfigClusterResolver";
// Our fields nest three levels deep; some platforms add other fields.
constexpr int kDeepest = 32;
constexpr std::array kTaskTypes = {"chief", "worker", "evaluator", "ps"};

// Formats a value for messages.
std::string Show(const Json& value) {
  // The parser has refused bytes that are not UTF-8.
  return fmt::format("{} ({})", Quote(value.dump()), value.type_name());
}

const Json& Object(const Json& value, std::string_view place) {
  if (value.is_object()) return value;
  throw InvalidArgument("[{}] {} must be an object, got {}", kOperation, place,
                        Show(value));
}

// A null field, which Python writes for None, counts as absent.
const Json* FindField(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const Json& Field(const Json& object, const char* name,
                  std::string_view place) {
  if (const Json* field = FindField(object, name)) return *field;
  throw InvalidArgument("[{}] {} must have the field '{}', got {}", kOperation,
                        place, name, Show(object));
}

bool IsTaskType(std::string_view name) {
  return std::find(kTaskTypes.begin(), kTaskTypes.end(), name) !=
         kTaskTypes.end();
}

void CheckTaskType(const std::string& name, std::string_view place) {
  if (IsTaskType(name)) return;
  throw InvalidArgument(
      "[{}] {} must be chief, worker, evaluator or ps, got {}", kOperation,
      place, Quote(name));
}

std::vector<WorkerAddress> ReadJob(const std::string& job, const Json& list) {
  if (list.is_object()) {
    throw Unimplemented(
        "[{}] the addresses of '{}' must be a list of all, got a map of some: "
        "{}",
        kOperation, job, Show(list));
  }
  if (!list.is_array()) {
    throw InvalidArgument("[{}] the addresses of '{}' must be a list, got {}",
                          kOperation, job, Show(list));
  }
  std::vector<WorkerAddress> addresses;
  for (const Json& address : list) {
    if (!address.is_string()) {
      throw InvalidArgument("[{}] an address of '{}' must be text, got {}",
                            kOperation, job, Show(address));
    }
    addresses.push_back(
        ParseWorkerAddress(address.get_ref<const std::string&>(), kOperation));
  }
  return addresses;
}

struct Jobs {
  std::vector<WorkerAddress> chief, worker;
};

void CheckJobs(const Jobs& jobs) {
  if (jobs.chief.size() > 1) {
    throw InvalidArgument("[{}] a cluster must have at most one chief, got {}",
                          kOperation, jobs.chief.size());
  }
  if (jobs.chief.empty() && jobs.worker.empty()) {
    throw InvalidArgument(
        "[{}] a cluster must have a chief or workers, got neither", kOperation);
  }
}

Jobs ReadJobs(const Json& cluster) {
  Jobs jobs;
  for (const auto& [name, list] : cluster.items()) {
    CheckTaskType(name, "a job of the cluster");
    std::vector<WorkerAddress> addresses = ReadJob(name, list);
    if (name == "ps" && !addresses.empty()) {
      throw Unimplemented(
          "[{}] a cluster must be of a chief and workers, got one with {} "
          "parameter servers (ps)",
          kOperation, addresses.size());
    }
    if (name == "chief") jobs.chief = std::move(addresses);
    if (name == "worker") jobs.worker = std::move(addresses);
  }
  CheckJobs(jobs);
  return jobs;
}

struct Task {
  std::string type;
  int64_t index = 0;
};

// TensorFlow also accepts an index in quotation marks.
std::optional<int64_t> IndexIn(const Json& value) {
  if (!value.is_string()) return IntegerIn(value);
  return NumberIn(value.get_ref<const std::string&>());
}

Task ReadTask(const Json& task) {
  const Json& type = Field(Object(task, "task"), "type", "task");
  if (!type.is_string()) {
    throw InvalidArgument("[{}] task.type must be text, got {}", kOperation,
                          Show(type));
  }
  const Json& index = Field(task, "index", "task");
  const std::optional<int64_t> number = IndexIn(index);
  if (!number || *number < 0) {
    throw InvalidArgument(
        "[{}] task.index must be an integer from 0 on, got {}", kOperation,
        Show(index));
  }
  Task result{type.get<std::string>(), *number};
  CheckTaskType(result.type, "task.type");
  if (result.type != "chief" && result.type != "worker") {
    throw Unimplemented("[{}] task.type must be chief or worker, got {}",
                        kOperation, result.type);
  }
  return result;
}

// The chief's number is 0, and workers follow it.
WorkerId NumberTask(const Task& task, const Jobs& jobs) {
  const bool is_chief = task.type == "chief";
  const size_t tasks = is_chief ? jobs.chief.size() : jobs.worker.size();
  if (tasks == 0) {
    throw InvalidArgument(
        "[{}] task.type must be one that the cluster has, got {}", kOperation,
        task.type);
  }
  if (static_cast<uint64_t>(task.index) >= tasks) {
    throw InvalidArgument(
        "[{}] task.index must be below the {} tasks of type {}, got {}",
        kOperation, tasks, task.type, task.index);
  }
  const int before = is_chief ? 0 : static_cast<int>(jobs.chief.size());
  return WorkerId(before + static_cast<int>(task.index));
}

void RefuseSparse(const Json& config) {
  if (const Json* sparse = FindField(config, "sparseCluster")) {
    throw Unimplemented(
        "[{}] TF_CONFIG must list all workers in 'cluster', got a "
        "'sparseCluster' of some: {}",
        kOperation, Show(*sparse));
  }
}

// The field "cluster"; nullptr if it is absent or empty.
const Json* FindCluster(const Json& config) {
  RefuseSparse(Object(config, "TF_CONFIG"));
  const Json* cluster = FindField(config, "cluster");
  if (cluster == nullptr || Object(*cluster, "cluster").empty()) return nullptr;
  return cluster;
}

// A process on its own may be task 0.
void CheckLoneTask(const Json& config) {
  const Json* field = FindField(config, "task");
  if (field == nullptr || Object(*field, "task").empty()) return;
  const Task task = ReadTask(*field);
  if (task.index != 0) {
    throw InvalidArgument(
        "[{}] TF_CONFIG must have a cluster where it has a task, got {} {} "
        "alone",
        kOperation, task.type, task.index);
  }
}

ClusterSpec ReadConfig(const Json& config) {
  const Json* cluster = FindCluster(config);
  if (cluster == nullptr) {
    CheckLoneTask(config);
    return ClusterSpec();
  }
  Jobs jobs = ReadJobs(*cluster);
  const Task task = ReadTask(Field(config, "task", "TF_CONFIG"));
  ClusterFacts facts{.origin = "TF_CONFIG", .worker = NumberTask(task, jobs)};
  facts.addresses = std::move(jobs.chief);
  facts.addresses.insert(facts.addresses.end(), jobs.worker.begin(),
                         jobs.worker.end());
  facts.num_workers = static_cast<int>(facts.addresses.size());
  return ClusterSpec(std::move(facts));
}

}  // namespace

ClusterSpec TfConfigClusterResolver::Resolve() const {
  const std::optional<std::string> text = environment_.Find("TF_CONFIG");
  if (!text) return ClusterSpec();
  return ReadConfig(ParseJson(*text, "TF_CONFIG", kDeepest));
}

}  // namespace lockstep
