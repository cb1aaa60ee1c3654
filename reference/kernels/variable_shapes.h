// The variables that the cases of optimizers work on.
#ifndef LOCKSTEP_REFERENCE_KERNELS_VARIABLE_SHAPES_H_
#define LOCKSTEP_REFERENCE_KERNELS_VARIABLE_SHAPES_H_

#include <vector>

#include "reference/tensor/shape.h"

namespace lockstep::kernels {

// More variables than one launch takes, some of no elements; the largest has
// 70001.
inline std::vector<Shape> VariableShapes() {
  std::vector<Shape> shapes = {Shape{3, 3, 1, 32}, Shape{32},    Shape{0, 4},
                               Shape{1},           Shape{70001}, Shape{}};
  for (int64_t i = 0; i < 150; ++i) shapes.push_back(Shape{i});
  return shapes;
}

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_VARIABLE_SHAPES_H_
