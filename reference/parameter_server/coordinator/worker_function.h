// Functions that a coordinator schedules and workers run.
//
//   WorkerFunction step = strategy.Function(
//       "step", [&](const WorkerArguments& in) -> Structure {
//         const Structure batch = in.Next("batches");
//         v->AssignAdd(in["delta"]);
//         return v->Read();
//       });
//   coordinator.Schedule(step, {{"batches", iterator},
//                               {"delta", Tensor::Scalar(2.0f)}});
//
// A function captures what both processes have built, for instance variables
// and models. Only its name and its arguments travel.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_FUNCTION_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_FUNCTION_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/data/dataset.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/parameter_server/coordinator/closure.h"
#include "reference/tensor/nest.h"

namespace lockstep {

// A value of which each worker has its own, for instance an iterator. A worker
// that was started again has made it again.
class PerWorkerValue {
 public:
  explicit PerWorkerValue(coordinator_internal::ResourceId id) : id_(id) {}
  coordinator_internal::ResourceId id() const { return id_; }

 private:
  coordinator_internal::ResourceId id_;
};

// The result of a scheduled function, which may not have run yet.
class RemoteValue {
 public:
  explicit RemoteValue(
      std::shared_ptr<coordinator_internal::RemoteResult> result)
      : result_(std::move(result)) {}

  bool ready() const { return result_->ready(); }
  // Waits for the function's result. Errors, every time: the function's;
  // Cancelled if it did not run because another one failed; Unavailable if a
  // server was lost.
  Structure Fetch() const { return result_->Wait(); }

 private:
  std::shared_ptr<coordinator_internal::RemoteResult> result_;
};

// An argument of a scheduled function. The kinds that cannot be sent are here
// for their errors: Schedule throws InvalidArgument for them.
class ScheduledArgument {
 public:
  ScheduledArgument(Tensor value)  // NOLINT
      : value_(Structure(std::move(value))) {}
  ScheduledArgument(Structure value) : value_(std::move(value)) {}  // NOLINT
  ScheduledArgument(PerWorkerValue value) : value_(value.id()) {}   // NOLINT
  ScheduledArgument(const RemoteValue&)
      : refused_("a RemoteValue") {}                                 // NOLINT
  ScheduledArgument(const VariablePtr&) : refused_("a variable") {}  // NOLINT

  // Errors: InvalidArgument, which names the argument and the function, if it
  // cannot be sent.
  const coordinator_internal::Argument& Checked(
      std::string_view name, std::string_view function) const;

 private:
  coordinator_internal::Argument value_;
  std::string_view refused_;  // what it is
};

using PositionalArguments = std::vector<ScheduledArgument>;
using NamedArguments = std::map<std::string, ScheduledArgument>;

// The arguments as the function gets them, on a worker.
class WorkerArguments {
 public:
  // A tensor or structure, or the passes over a dataset that this worker has.
  using Value = std::variant<Structure, std::shared_ptr<DatasetIterator>>;

  WorkerArguments(std::vector<Value> positional,
                  std::map<std::string, Value> named)
      : positional_(std::move(positional)), named_(std::move(named)) {}

  size_t size() const { return positional_.size(); }
  const std::map<std::string, Value>& named() const { return named_; }
  // Errors, here and below: InvalidArgument if there is no such argument or it
  // is of the other kind.
  const Structure& operator[](size_t index) const;
  const Structure& operator[](std::string_view name) const;

  // The iterator of this worker, and its next element. Errors of Next:
  // OutOfRange at the end of the data, like any error of the function.
  DatasetIterator& Iterator(size_t index) const;
  DatasetIterator& Iterator(std::string_view name) const;
  Structure Next(size_t index) const { return Iterator(index).GetNext(); }
  Structure Next(std::string_view name) const {
    return Iterator(name).GetNext();
  }

 private:
  const Value& At(size_t index) const;
  const Value& At(std::string_view name) const;

  std::vector<Value> positional_;
  std::map<std::string, Value> named_;
};

using WorkerFunctionBody = std::function<Structure(const WorkerArguments&)>;

// Made by ParameterServerStrategy::Function and DatasetFunction.
struct WorkerFunction {
  std::string name;
};
struct WorkerDataset {
  std::string name;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_FUNCTION_H_
