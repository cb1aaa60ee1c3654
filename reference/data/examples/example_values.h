// The values of one feature of an Example message.
//
//   for (int64_t x : *ValuesOf<int64_t>({"label", 3}, feature)) ...
//
// For a feature of another type it throws
//   "[ParseExample] feature 'label' of element 3 is float32, wanted int64".
#ifndef LOCKSTEP_REFERENCE_DATA_EXAMPLES_EXAMPLE_VALUES_H_
#define LOCKSTEP_REFERENCE_DATA_EXAMPLES_EXAMPLE_VALUES_H_

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "reference/base/error.h"
#include "reference/data/examples/example.pb.h"
#include "reference/tensor/dtype.h"

namespace lockstep::examples_internal {

// For messages.
struct FeatureName {
  const std::string& name;
  std::optional<int64_t> index;  // of the example in a batch

  std::string Text() const {
    return fmt::format("[ParseExample] feature '{}'{}", name,
                       index ? fmt::format(" of element {}", *index) : "");
  }
};

inline DType TypeOf(const examples::Feature& feature) {
  if (feature.has_int64_list()) return DType::kInt64;
  return feature.has_bytes_list() ? DType::kString : DType::kFloat32;
}

// The list of values of type T. REQUIRES: the feature has that kind.
template <typename T>
const auto& ListOf(const examples::Feature& feature) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return feature.int64_list().value();
  } else if constexpr (std::is_same_v<T, float>) {
    return feature.float_list().value();
  } else {
    return feature.bytes_list().value();
  }
}

// The values, or nullptr for a feature that is missing or has no kind. Errors:
// InvalidArgument for values of another type.
template <typename T>
auto ValuesOf(const FeatureName& name, const examples::Feature* feature) {
  using List = std::remove_cvref_t<decltype(ListOf<T>(*feature))>;
  const List* none = nullptr;
  if (feature == nullptr ||
      feature->kind_case() == examples::Feature::KIND_NOT_SET) {
    return none;
  }
  if (TypeOf(*feature) != kDTypeOf<T>) {
    throw InvalidArgument("{} is {}, wanted {}", name.Text(),
                          DTypeName(TypeOf(*feature)), DTypeName(kDTypeOf<T>));
  }
  return &ListOf<T>(*feature);
}

}  // namespace lockstep::examples_internal

#endif  // LOCKSTEP_REFERENCE_DATA_EXAMPLES_EXAMPLE_VALUES_H_
