// A value that may be absent, as tf.experimental.Optional.
//
//   Optional<Structure> next = iterator.GetNextAsOptional();
//   while (next.has_value()) {
//     Use(next.GetValue());
//     next = iterator.GetNextAsOptional();
//   }
#ifndef LOCKSTEP_REFERENCE_DATA_OPTIONAL_H_
#define LOCKSTEP_REFERENCE_DATA_OPTIONAL_H_

#include <optional>
#include <utility>

#include "reference/base/error.h"

namespace lockstep {

template <typename Value>
class Optional {
 public:
  Optional() = default;  // absent
  explicit Optional(Value value) : value_(std::move(value)) {}

  bool has_value() const { return value_.has_value(); }

  // Errors: InvalidArgument when there is none.
  const Value& GetValue() const& {
    Check();
    return *value_;
  }
  Value&& GetValue() && {
    Check();
    return *std::move(value_);
  }

 private:
  void Check() const {
    if (!value_.has_value()) {
      throw InvalidArgument(
          "[Optional] The given optional does not have a value.");
    }
  }

  std::optional<Value> value_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_OPTIONAL_H_
