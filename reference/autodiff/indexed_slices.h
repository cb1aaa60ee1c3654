// The gradient of a large tensor of which few rows were used.
//
//   // Of a table [4, 2] rows 3, 0 and 3 were looked up:
//   IndexedSlices d([[1, 1], [2, 2], [5, 5]], [3, 0, 3], Shape{4, 2});
//   d.Merged();     // [[2, 2], [6, 6]] of rows [0, 3]
//   d.ToDense();    // [[2, 2], [0, 0], [0, 0], [6, 6]]
//
// It takes memory, and time to bring together from several replicas, by the rows
// that were used, not by those of the table.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_INDEXED_SLICES_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_INDEXED_SLICES_H_

#include <variant>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep {

class IndexedSlices {
 public:
  // values [n, ...] are added to the rows that indices, int64 [n], name; all
  // with the host. Errors: InvalidArgument for another type of indices, and
  // shapes that do not fit.
  IndexedSlices(Tensor values, Tensor indices, Shape dense_shape);

  const Tensor& values() const { return values_; }
  const Tensor& indices() const { return indices_; }
  // Of the tensor whose gradient it is.
  const Shape& dense_shape() const { return dense_shape_; }

  // Each row once, in ascending order: what comes twice is added up, in the
  // order in which it stands here.
  IndexedSlices Merged() const;
  // Errors, here and above: InvalidArgument for a row that is not there.
  Tensor ToDense() const;

 private:
  Tensor values_;
  Tensor indices_;
  Shape dense_shape_;
};

// One behind the other. REQUIRES: one at least, all of one tensor.
IndexedSlices Joined(const std::vector<IndexedSlices>& parts);

// The gradient of a variable.
using VariableGradient = std::variant<Tensor, IndexedSlices>;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_INDEXED_SLICES_H_
