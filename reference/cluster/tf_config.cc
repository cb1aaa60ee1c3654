#include "reference/cluster/tf_config.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/json.h"

namespace lockstep::cluster_internal {
namespace {

constexpr const char* kOperation = kTfConfigOperation;
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

// TensorFlow also accepts an index in quotation marks.
std::optional<int64_t> IndexIn(const Json& value) {
  if (!value.is_string()) return IntegerIn(value);
  return NumberIn(value.get_ref<const std::string&>());
}

TfTask ReadTask(const Json& task) {
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
  TfTask result{type.get<std::string>(), *number};
  CheckTaskType(result.type, "task.type");
  return result;
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

TfJobs ReadJobs(const Json& cluster) {
  TfJobs jobs;
  for (const auto& [name, list] : cluster.items()) {
    CheckTaskType(name, "a job of the cluster");
    std::vector<WorkerAddress> addresses = ReadJob(name, list);
    if (!addresses.empty()) jobs[name] = std::move(addresses);
  }
  if (Count(jobs, "chief") > 1) {
    throw InvalidArgument("[{}] a cluster must have at most one chief, got {}",
                          kOperation, Count(jobs, "chief"));
  }
  return jobs;
}

// A process on its own may be task 0.
void CheckLoneTask(const Json& config) {
  const Json* field = FindField(config, "task");
  if (field == nullptr || Object(*field, "task").empty()) return;
  const TfTask task = ReadTask(*field);
  if (task.index != 0) {
    throw InvalidArgument(
        "[{}] TF_CONFIG must have a cluster where it has a task, got {} {} "
        "alone",
        kOperation, task.type, task.index);
  }
}

}  // namespace

size_t Count(const TfJobs& jobs, const std::string& type) {
  const auto found = jobs.find(type);
  return found == jobs.end() ? 0 : found->second.size();
}

std::optional<TfConfig> ReadTfConfig(const Environment& environment) {
  const std::optional<std::string> text = environment.Find("TF_CONFIG");
  if (!text) return std::nullopt;
  const Json config = ParseJson(*text, "TF_CONFIG", kDeepest);
  const Json* cluster = FindCluster(config);
  if (cluster == nullptr) {
    CheckLoneTask(config);
    return std::nullopt;
  }
  TfConfig read{.jobs = ReadJobs(*cluster), .task = {}};
  read.task = ReadTask(Field(config, "task", "TF_CONFIG"));
  return read;
}

void CheckOwnTask(const TfConfig& config) {
  const TfTask& task = config.task;
  const size_t tasks = Count(config.jobs, task.type);
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
}

}  // namespace lockstep::cluster_internal
