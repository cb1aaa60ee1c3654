#include "reference/parameter_server/coordinator/worker_program.h"

#include <fmt/ranges.h>

#include <chrono>
#include <utility>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/parameter_server/variables/closure_scope.h"

namespace lockstep::coordinator_internal {
namespace {

template <typename Function>
void Add(std::map<std::string, Function>* functions, const char* operation,
         const std::string& name, Function body) {
  if (!body) {
    throw InvalidArgument("[{}] '{}' is an empty function", operation, name);
  }
  if (!functions->emplace(name, std::move(body)).second) {
    throw InvalidArgument("[{}] there is a function '{}' already", operation,
                          name);
  }
}

template <typename Function>
const Function& Named(const std::map<std::string, Function>& functions,
                      const char* kind, const std::string& name) {
  const auto found = functions.find(name);
  if (found != functions.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [other, body] : functions)
    known.push_back("'" + other + "'");
  throw NotFound(
      "[Serve] this worker has no {} '{}', only [{}]; name it before Serve, in "
      "the coordinator's program and in the worker's",
      kind, name, fmt::join(known, ", "));
}

VariablePtr RefuseVariable(const VariableOptions& options) {
  throw FailedPrecondition(
      "[Schedule] a scheduled function cannot make a variable, got '{}'; make "
      "it in the strategy's scope before (Build for layers and optimizers)",
      options.name);
}

// Errors of user code that are of no class of ours.
Error Unknown(const std::string& what) {
  return Internal("[Serve] the function threw: {}", what);
}

}  // namespace

void WorkerProgram::AddFunction(const std::string& name,
                                WorkerFunctionBody body) {
  Add(&functions_, "Function", name, std::move(body));
}

void WorkerProgram::AddDataset(const std::string& name, DatasetFunction body) {
  Add(&datasets_, "DatasetFunction", name, std::move(body));
}

RunReply WorkerProgram::Run(uint64_t number, const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  RunReply reply{.result = NotRun()};
  try {
    const ClosureScope closure(number);
    reply.result = Invoke(call);
  } catch (const rpc::PeerLost& lost) {
    reply.result = ServerIsLost{lost.what()};
  } catch (const Error& error) {
    reply.result = error;
  } catch (const std::exception& error) {
    reply.result = Unknown(error.what());
  } catch (...) {
    reply.result = Unknown("something that is no std::exception");
  }
  reply.took = std::chrono::steady_clock::now() - start;
  return reply;
}

Structure WorkerProgram::Invoke(const Call& call) const {
  const VariableCreatorScope creator(RefuseVariable);
  return Named(functions_, "function", call.function)(ArgumentsOf(call));
}

void WorkerProgram::Make(const Resource& resource) {
  try {
    made_.insert_or_assign(resource.id.value, MakeNow(resource));
  } catch (...) {
    made_.insert_or_assign(resource.id.value, std::current_exception());
  }
}

WorkerProgram::Made WorkerProgram::MakeNow(const Resource& resource) const {
  switch (resource.kind) {
    case Resource::kValue:
      return Invoke(resource.call);
    case Resource::kDataset:
      return Named(datasets_, "dataset function",
                   resource.call.function)(InputContext());
    case Resource::kIterator:
      if (const auto* data = std::get_if<Dataset>(&Find(resource.dataset))) {
        return std::make_shared<DatasetIterator>(data->MakeIterator());
      }
  }
  throw Internal("[Serve] resource {} cannot be made", resource.id.value);
}

WorkerArguments WorkerProgram::ArgumentsOf(const Call& call) const {
  std::vector<WorkerArguments::Value> positional;
  for (const Argument& argument : call.arguments) {
    positional.push_back(ValueOf(argument));
  }
  std::map<std::string, WorkerArguments::Value> named;
  for (const auto& [name, argument] : call.named_arguments) {
    named.emplace(name, ValueOf(argument));
  }
  return WorkerArguments(std::move(positional), std::move(named));
}

WorkerArguments::Value WorkerProgram::ValueOf(const Argument& argument) const {
  if (const auto* value = std::get_if<Structure>(&argument)) return *value;
  const Made& made = Find(std::get<ResourceId>(argument));
  if (const auto* value = std::get_if<Structure>(&made)) return *value;
  if (const auto* iterator = std::get_if<Iterator>(&made)) return *iterator;
  throw InvalidArgument(
      "[Schedule] {}",
      "a per-worker dataset is no argument; give one of its iterators");
}

const WorkerProgram::Made& WorkerProgram::Find(ResourceId id) const {
  const auto found = made_.find(id.value);
  if (found == made_.end()) {
    throw NotFound("[Serve] there is no per-worker value {}", id.value);
  }
  if (const auto* error = std::get_if<std::exception_ptr>(&found->second)) {
    std::rethrow_exception(*error);
  }
  return found->second;
}

}  // namespace lockstep::coordinator_internal
