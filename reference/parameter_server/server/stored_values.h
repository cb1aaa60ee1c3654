// The values that a parameter server keeps, and their changes.
//
//   StoredValues values;
//   values.Create(3, "w", Tensor::Scalar(1.0f));
//   values.Apply({.closure = 17,
//                 .changes = {{.variable = 3, .kind = Change::ADD,
//                              .value = Tensor::Scalar(2.0f)}}});
//   values.Read({3}, {Tensor()})[0].value;      // 3, after 1 change
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_STORED_VALUES_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_STORED_VALUES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/base/naming/object_config.h"
#include "reference/parameter_server/rpc/parameter.pb.h"
#include "reference/parameter_server/server/applied_updates.h"

namespace lockstep::parameter_server {

struct ValueChange {
  uint64_t variable = 0;
  uint64_t ordinal = 0;  // see UpdateKey
  Change::Kind kind = Change::ASSIGN;
  Tensor value;
  Tensor rows = {};  // int64 [n]: value is [n, ...], for these rows
  bool wants_value = false;
  std::optional<uint64_t> only_after = std::nullopt;
};

// A step of an optimizer.
struct ValueStep {
  struct Item {
    uint64_t variable = 0;
    uint64_t ordinal = 0;
    std::vector<uint64_t> slots = {};
    Tensor gradient;
    Tensor rows = {};  // if defined, ascending: the gradient is of these rows
  };

  ObjectConfig rule;
  double weight_decay = 0;
  Tensor learning_rate;
  Tensor taken = {};
  int64_t iterations = 0;
  // Instead of `iterations`: the index of the change that counts the step.
  std::optional<size_t> counter_change = std::nullopt;
  std::vector<Item> items = {};
};

struct ValueUpdate {
  uint64_t closure = 0;
  std::vector<ValueChange> changes = {};
  std::optional<ValueStep> step = std::nullopt;
};

struct UpdateOutcome {
  bool applied = true;              // false where an only_after was not so
  std::vector<Tensor> values = {};  // per change; undefined unless wanted
};

// One value, with its lock.
struct StoredValue {
  std::mutex mutex;
  std::shared_ptr<LocalVariable> variable;
  uint64_t changes = 0;
};

struct ReadValue {
  Tensor value;
  uint64_t changes = 0;
};

// Thread-safe. Values that are used by different requests are used in parallel.
class StoredValues {
 public:
  // Errors: FailedPrecondition if there is a variable of this number;
  // InvalidArgument for an undefined value.
  void Create(uint64_t number, const std::string& name, const Tensor& value);

  // rows[i], if defined, are the rows of variable i that are wanted. Errors,
  // here and below: NotFound for a variable that there is not; InvalidArgument
  // for rows and values that do not fit.
  std::vector<ReadValue> Read(std::span<const uint64_t> variables,
                              std::span<const Tensor> rows);

  // Applies an update wholly, or throws before anything is changed. Parts that
  // the closure has had applied get the replies that they had. Errors:
  // FailedPrecondition if the closure is finished; Unimplemented for an unknown
  // rule.
  UpdateOutcome Apply(const ValueUpdate& update);

  // All closures below this number are finished.
  void Finish(uint64_t below) { applied_.Finish(below); }
  size_t num_replies() const { return applied_.size(); }

 private:
  StoredValue& Find(uint64_t number);

  std::shared_mutex mutex_;
  std::map<uint64_t, std::unique_ptr<StoredValue>> values_;
  AppliedUpdates applied_;
};

}  // namespace lockstep::parameter_server

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_STORED_VALUES_H_
