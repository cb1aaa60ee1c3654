// Values that differ by replica: the arguments and results of Run.
//
//   PerReplica<Tensor> x({a, b});                     // a on replica 0, b on 1
//   PerReplica<Tensor> y = strategy.Run(Double, x);   // Double(a), Double(b)
//   y[1];                                 // what replica 1 returned
//   strategy.Reduce(ReduceOp::kSum, y);   // one tensor
//   std::cout << ToString(x);
//       PerReplica:{
//         0: [1, 2],
//         1: [3, 4]
//       }
//
// T is a Tensor, a Structure (a nest of tensors, one for each replica) or any
// other copyable type that a replica function returns. There is one entry per
// local replica, by LocalIndex. A PerReplica is a value: copying it copies
// handles, not elements.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_PER_REPLICA_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_PER_REPLICA_H_

#include <fmt/core.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/reduce_op.h"
#include "reference/device/device.h"
#include "reference/tensor/nest.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

template <typename T>
class PerReplica {
 public:
  using Entry = typename std::vector<T>::const_reference;

  PerReplica() = default;  // no replicas
  explicit PerReplica(std::vector<T> values) : values_(std::move(values)) {}

  int size() const { return static_cast<int>(values_.size()); }
  // The entry of `replica`. Errors: OutOfRange for a replica that does not
  // exist.
  Entry operator[](int replica) const {
    if (replica < 0 || replica >= size()) {
      throw OutOfRange("[PerReplica] replica {} of {} does not exist", replica,
                       size());
    }
    return values_[replica];
  }
  // One entry per replica, in order.
  const std::vector<T>& values() const { return values_; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

  // function(entry) for every replica:
  //   PerReplica<Tensor> labels = batch.Map([](const Structure& element) {
  //     return element[1].leaf();
  //   });
  template <typename Function>
  auto Map(const Function& function) const {
    std::vector<std::decay_t<decltype(function(values_[0]))>> mapped;
    mapped.reserve(values_.size());
    for (const T& value : values_) mapped.push_back(function(value));
    return PerReplica<typename decltype(mapped)::value_type>(std::move(mapped));
  }

 private:
  std::vector<T> values_;
};

namespace distribute_internal {

template <typename T>
struct IsPerReplica : std::false_type {};
template <typename T>
struct IsPerReplica<PerReplica<T>> : std::true_type {};

template <typename T>
std::string EntryText(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return fmt::format("{}", value);
  } else {
    return ToString(value);
  }
}

// The component of an argument of Run for `replica`: an entry of a PerReplica,
// a nest of such entries, or a plain value unchanged.
template <typename T>
decltype(auto) ComponentOf(const PerReplica<T>& value, int replica) {
  return value[replica];
}
template <typename T>
Nest<T> ComponentOf(const Nest<PerReplica<T>>& nest, int replica) {
  return nest.template Map<T>(
      [&](const PerReplica<T>& leaf) { return leaf[replica]; });
}
template <typename T>
const T& ComponentOf(const T& value, int /*replica*/) {
  return value;
}

}  // namespace distribute_internal

// "PerReplica:{\n 0: <value>,\n 1: <value>\n}", as documented.
template <typename T>
std::string ToString(const PerReplica<T>& value) {
  std::string text = "PerReplica:{\n";
  for (int replica = 0; replica < value.size(); ++replica) {
    text += fmt::format("  {}: {}{}\n", replica,
                        distribute_internal::EntryText<T>(value[replica]),
                        replica + 1 < value.size() ? "," : "");
  }
  return text + "}";
}

// Converts one structure per replica into one structure of PerReplica leaves.
//   Regroup({{1, 2}, {3, 4}})   // tuple of PerReplica(1, 3), PerReplica(2, 4)
// Errors: InvalidArgument if the replicas' structures differ in form.
Nest<PerReplica<Tensor>> Regroup(const PerReplica<Structure>& values);

// The axes that a reduction also removes on each replica: std::nullopt for
// none, 0, -1, {0, 1}.
class ReduceAxes {
 public:
  ReduceAxes(std::nullopt_t) {}  // NOLINT: as documented
  ReduceAxes(int axis)
      : axes_(std::vector<int>{axis}) {}  // NOLINT: as documented
  ReduceAxes(std::initializer_list<int> a) : axes_(std::vector<int>(a)) {}
  ReduceAxes(std::vector<int> a) : axes_(std::move(a)) {}  // NOLINT: the same

  bool none() const { return !axes_; }
  // REQUIRES: not none().
  const std::vector<int>& axes() const { return *axes_; }

 private:
  std::optional<std::vector<int>> axes_;
};

namespace distribute_internal {

// Computes Strategy::Reduce from the replicas' values.
//
// Without axes, elementwise over the replicas:
//   sum of [1, 2], [3, 4]              [4, 6]
// With axes, each replica's value is first reduced along them; the mean divides
// by the number of elements on all replicas, so uneven shards are correct:
//   mean of [1, 2, 3], [5] over 0      11 / 4 = 2.75
//   mean of [1, 2, 3], []  over 0      2; of [], [] NaN
// The mean of integers is float64. Errors: InvalidArgument for shapes that
// differ in other axes, an axis out of range, bools and strings.
Tensor ReduceOverReplicas(ReduceOp op, const std::vector<Tensor>& values,
                          const ReduceAxes& axes, Device& destination);

// The same in two steps, for values on several workers: the sum of the local
// values with the number of its elements; then the result, from the total sum
// and number of all workers.
struct PartialReduction {
  Tensor sum;
  int64_t count = 0;
};
PartialReduction ReducePartly(ReduceOp op, const std::vector<Tensor>& values,
                              const ReduceAxes& axes, Device& destination);
Tensor FinishReduction(ReduceOp op, const PartialReduction& all);

}  // namespace distribute_internal

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_PER_REPLICA_H_
