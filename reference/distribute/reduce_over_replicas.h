// What Strategy::Reduce computes from the replicas' values.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_REDUCE_OVER_REPLICAS_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_REDUCE_OVER_REPLICAS_H_

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "reference/collectives/reduce_op.h"
#include "reference/device/device.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// The axes that a reduction takes away on each replica besides: std::nullopt
// for none, 0, -1, {0, 1}.
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

// Without axes elementwise over the replicas:
//   sum of [1, 2], [3, 4]              [4, 6]
// With axes each replica's value first loses those; the mean divides by the
// number of elements on all replicas, so uneven shards are right:
//   mean of [1, 2, 3], [5] over 0      11 / 4 = 2.75
//   mean of [1, 2, 3], []  over 0      2; of [], [] NaN
// The mean of integers is float64. Errors: InvalidArgument for shapes that
// differ where they are not reduced, an axis out of range, bools and strings.
Tensor ReduceOverReplicas(ReduceOp op, const std::vector<Tensor>& values,
                          const ReduceAxes& axes, Device& destination);

}  // namespace distribute_internal
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_REDUCE_OVER_REPLICAS_H_
