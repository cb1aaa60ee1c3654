// Values of programs, and their form as observations.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_VALUE_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_VALUE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/base/json.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_manager.h"
#include "reference/data/dataset.h"
#include "reference/distribute/graph_mode/deferred.h"
#include "reference/distribute/graph_mode/input_iterator.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/per_replica.h"
#include "reference/distribute/strategy.h"
#include "reference/export/saved_model/loading/load_saved_model.h"
#include "reference/layers/layer.h"
#include "reference/metrics/metric.h"
#include "reference/optimizers/learning_rate_schedule.h"
#include "reference/optimizers/optimizer.h"
#include "reference/tensor/nest.h"
#include "reference/training/events/callback.h"
#include "reference/training/events/logs.h"
#include "reference/training/model/model.h"

namespace lockstep::conformance {

// Defined in intents/.
class LearnedModel;
class Loader;
class Training;
// Defined in graphs/.
class TracedFunction;
class ServerObject;

// The program itself is invalid: an unknown name, an argument of another type.
// Not an Error, so that no case that expects one passes by mistake.
class ProgramError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// The reference does not have the step.
class UnsupportedStep : public std::runtime_error {
 public:
  UnsupportedStep(std::string step, const std::string& reason)
      : std::runtime_error(reason), step_(std::move(step)) {}
  const std::string& step() const { return step_; }

 private:
  std::string step_;
};

// An Error of a step, with the name of the step.
class StepError : public Error {
 public:
  StepError(const Error& error, std::string step)
      : Error(error.code(), error.what()), step_(std::move(step)) {}
  const std::string& step() const { return step_; }

 private:
  std::string step_;
};

// The value of a step without a result.
struct Nothing {};

// A list of values, one per replica.
struct LocalResults {
  std::vector<Structure> values;
};

// A checkpoint, the objects it refers to, and the state of its last restore.
struct CheckpointHandle {
  std::vector<std::shared_ptr<Trackable>> objects;
  std::shared_ptr<Checkpoint> checkpoint;
};
struct RestoreStatus {
  CheckpointHandle handle;
  CheckpointLoadStatus status;
};
// A manager and what it refers to.
struct ManagerHandle {
  CheckpointHandle checkpoint;
  VariablePtr step_counter;  // nullptr when there is none
  std::shared_ptr<CheckpointManager> manager;
};

using CounterPtr = std::shared_ptr<std::atomic<int64_t>>;
using SchedulePtr = std::shared_ptr<const LearningRateSchedule>;

// A leaf that is not defined means that there is no value (a gradient that does
// not exist).
using Value = std::variant<
    Nothing, int64_t, bool, std::string, Json, Structure, PerReplica<Structure>,
    LocalResults, Dataset, InputContext, DistributedDataset,
    std::shared_ptr<DistributedIterator>, Optional<PerReplica<Structure>>,
    std::shared_ptr<Strategy>, VariablePtr, Layer, SchedulePtr,
    std::shared_ptr<Optimizer>, std::shared_ptr<Metric>, CheckpointHandle,
    RestoreStatus, ManagerHandle, Model, SavedModel, History, CallbackPtr,
    InputIterator, Deferred<PerReplica<Structure>>, Deferred<Structure>,
    std::shared_ptr<LearnedModel>, std::shared_ptr<Loader>,
    std::shared_ptr<Training>, std::shared_ptr<TracedFunction>,
    std::shared_ptr<ServerObject>, CounterPtr>;

// A value that only steps of parameter servers use: parameter_server/ has its
// types.
class ServerObject {
 public:
  virtual ~ServerObject() = default;
  // The part "key" of "name.key". Errors: ProgramError if there is none.
  virtual Value PartOf(std::string_view key) const;
};

// Whether a scalar, or a boolean that a step gave, is true. Errors:
// ProgramError for another value.
bool IsTrue(const Value& value);

// The observation of a value (operations.md); null for nothing. Errors:
// ResourceExhausted for a tensor that is too large for a reply; ProgramError
// for an object that cannot be observed, such as a dataset.
Json ToObservation(const Tensor& tensor);
Json ToObservation(const Structure& structure);
Json ToObservation(const PerReplica<Structure>& values);
Json ToObservation(const InputContext& context);
Json ToObservation(const Value& value);

// The observation of something that may be endless, such as a dataset: at most
// kMaxObserved values, which is the limit of a reply.
class ObservedList {
 public:
  // A value needs at least two bytes of a message, itself and a comma.
  static constexpr int64_t kMaxObserved = int64_t{8} << 20;

  // Counts every value in `item`, and `item` itself.
  // Errors: ResourceExhausted beyond kMaxObserved.
  void Add(Json item);

  const std::vector<Json>& values() const { return values_; }
  Json ToJson() && { return Json(std::move(values_)); }

 private:
  std::vector<Json> values_;
  int64_t count_ = 0;
};

// The tensor of a literal: a number, true or false, a text, or nested lists.
// Errors: ProgramError for lists of unequal length.
Tensor ToTensor(const Json& literal, DType dtype);
// The same for each leaf of an object of literals.
Structure ToStructure(const Json& literal, DType dtype);

// The number of rows of an element of a batched dataset, by its first tensor or
// ragged batch. REQUIRES: it is no scalar.
int64_t RowsOf(const Structure& element);

// The part of a value at a path such as "x.0". Errors: ProgramError if there is
// none.
Value PartOf(const Value& value, std::string_view path);

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_VALUE_H_
