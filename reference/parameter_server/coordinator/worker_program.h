// What a worker can run: functions and datasets by name, and the values that it
// has made for itself. No network.
//
//   WorkerProgram program;
//   program.AddFunction("add", [](const WorkerArguments& in) { ... });
//   program.Make({.id = {1}, .kind = Resource::kDataset, .call = {"train"}});
//   program.Make({.id = {2}, .kind = Resource::kIterator, .dataset = {1}});
//   RunReply reply = program.Run(7, {"add", {ResourceId{2}}});
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_PROGRAM_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_PROGRAM_H_

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "reference/distribute/input/distributed_dataset.h"
#include "reference/parameter_server/coordinator/worker_function.h"
#include "reference/parameter_server/coordinator/worker_messages.h"

namespace lockstep::coordinator_internal {

class WorkerProgram {
 public:
  // Errors: InvalidArgument for a name that is taken, or an empty function.
  void AddFunction(const std::string& name, WorkerFunctionBody body);
  void AddDataset(const std::string& name, DatasetFunction body);
  bool has_function(const std::string& name) const {
    return functions_.contains(name);
  }
  bool has_dataset(const std::string& name) const {
    return datasets_.contains(name);
  }

  // Runs a function on the calling thread, as closure `number`. Never throws:
  // errors are in the reply.
  RunReply Run(uint64_t number, const Call& call);
  // Makes a value, in the place of one with the same id. Never throws: its
  // error is that of the functions that use it.
  void Make(const Resource& resource);

 private:
  using Iterator = std::shared_ptr<DatasetIterator>;
  using Made = std::variant<Structure, Dataset, Iterator, std::exception_ptr>;

  Structure Invoke(const Call& call) const;
  Made MakeNow(const Resource& resource) const;
  WorkerArguments ArgumentsOf(const Call& call) const;
  WorkerArguments::Value ValueOf(const Argument& argument) const;
  // Errors: NotFound; that of making it.
  const Made& Find(ResourceId id) const;

  std::map<std::string, WorkerFunctionBody> functions_;
  std::map<std::string, DatasetFunction> datasets_;
  std::map<int64_t, Made> made_;
};

}  // namespace lockstep::coordinator_internal

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_PROGRAM_H_
