// Which elements a StridedSlice takes.
//
//   // x[:, 0] of x [2, 3]: begin (0, 0), end (0, 1), strides (1, 1)
//   const Slicing slicing({.begin = 1, .end = 1, .shrink_axis = 2}, ...);
//   slicing.shape();      // (2,)
//   slicing.Indices();    // {0, 3}: of x in row-major order
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_STRIDED_SLICE_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_STRIDED_SLICE_H_

#include <cstdint>
#include <vector>

#include "reference/tensor/shape.h"

namespace lockstep::export_internal {

// Bits by the place in begin, end and strides.
struct SliceMasks {
  int64_t begin = 0;        // from the first element
  int64_t end = 0;          // to the last one
  int64_t ellipsis = 0;     // all axes that are not named
  int64_t new_axis = 0;     // an axis of one element more
  int64_t shrink_axis = 0;  // one element, and the axis goes
};

class Slicing {
 public:
  // Errors: InvalidArgument for lists of different lengths, more of them than
  // there are axes, a stride of 0, and an element out of range.
  Slicing(const Shape& x, const SliceMasks& masks,
          const std::vector<int64_t>& begin, const std::vector<int64_t>& end,
          const std::vector<int64_t>& strides);

  const Shape& shape() const { return shape_; }
  std::vector<int64_t> Indices() const;

 private:
  // Along one axis of x: `count` elements from `first` on.
  struct Axis {
    int64_t first, stride, count;
  };
  static Axis Range(int64_t size, int64_t stride, int64_t begin, int64_t end,
                    bool from_first, bool to_last);
  static Axis One(int64_t size, int64_t index);

  Shape shape_;
  std::vector<Axis> axes_;
  std::vector<int64_t> steps_;  // in memory from one element of x to the next
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_STRIDED_SLICE_H_
