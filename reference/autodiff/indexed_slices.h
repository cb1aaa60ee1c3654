// The gradient of a large tensor of which only some rows were used.
//
//   // Rows 3, 0 and 3 of a table [4, 2] were looked up:
//   IndexedSlices d([[1, 1], [2, 2], [5, 5]], [3, 0, 3], Shape{4, 2});
//   d.Merged();     // [[2, 2], [6, 6]] of rows [0, 3]
//   d.ToDense();    // [[2, 2], [0, 0], [0, 0], [6, 6]]
//
// Its memory, and the time to sum it over replicas, depend on the rows that
// were used, not on the size of the table.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_INDEXED_SLICES_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_INDEXED_SLICES_H_

#include <variant>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep {

class IndexedSlices {
 public:
  // values [n, ...] are added to the rows `indices`, int64 [n]. Both are on the
  // host. Errors: InvalidArgument for another type of indices, and shapes that
  // do not fit.
  IndexedSlices(Tensor values, Tensor indices, Shape dense_shape);

  const Tensor& values() const { return values_; }
  const Tensor& indices() const { return indices_; }
  // The shape of the tensor whose gradient it is.
  const Shape& dense_shape() const { return dense_shape_; }

  // Each row once, in ascending order. Values of a repeated row are summed in
  // their order.
  IndexedSlices Merged() const;
  // Errors, here and above: InvalidArgument for a row out of range.
  Tensor ToDense() const;

 private:
  Tensor values_;
  Tensor indices_;
  Shape dense_shape_;
};

// Concatenates slices. REQUIRES: at least one, all of the same dense shape.
IndexedSlices Joined(const std::vector<IndexedSlices>& parts);

// The gradient of a variable.
using VariableGradient = std::variant<Tensor, IndexedSlices>;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_INDEXED_SLICES_H_
