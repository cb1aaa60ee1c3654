// The elements that a StridedSlice takes.
//
//   // x[:, 0] of x [2, 3]: begin (0, 0), end (0, 1), strides (1, 1)
//   const Slicing slicing({.begin = 1, .end = 1, .shrink_axis = 2}, ...);
//   slicing.shape();      // (2,)
//   slicing.Indices();    // {0, 3}, in row-major order
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_STRIDED_SLICE_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_STRIDED_SLICE_H_

#include <cstdint>
#include <vector>

#include "reference/tensor/shape.h"

namespace lockstep::export_internal {

// Bit i is for element i of begin, end and strides.
struct SliceMasks {
  int64_t begin = 0;        // begin at the first element
  int64_t end = 0;          // end at the last element
  int64_t ellipsis = 0;     // all axes that the others do not use
  int64_t new_axis = 0;     // insert an axis of one element
  int64_t shrink_axis = 0;  // take one element and remove the axis
};

class Slicing {
 public:
  // Errors: InvalidArgument if the lists have different lengths or are longer than
  // the rank, a stride is 0, or an element is out of range.
  Slicing(const Shape& x, const SliceMasks& masks,
          const std::vector<int64_t>& begin, const std::vector<int64_t>& end,
          const std::vector<int64_t>& strides);

  const Shape& shape() const { return shape_; }
  std::vector<int64_t> Indices() const;

 private:
  // Takes `count` elements along an axis of x, from `first` on.
  struct Axis {
    int64_t first, stride, count;
  };
  static Axis Range(int64_t size, int64_t stride, int64_t begin, int64_t end,
                    bool from_first, bool to_last);
  static Axis One(int64_t size, int64_t index);

  Shape shape_;
  std::vector<Axis> axes_;
  std::vector<int64_t> steps_;  // strides of x in memory, in elements
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_STRIDED_SLICE_H_
