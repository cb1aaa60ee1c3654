// What is known of a tensor before it exists: type and (partial) shape.
#ifndef LOCKSTEP_REFERENCE_TENSOR_TENSOR_SPEC_H_
#define LOCKSTEP_REFERENCE_TENSOR_TENSOR_SPEC_H_

#include <string>

#include "reference/tensor/dtype.h"
#include "reference/tensor/shape.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

struct TensorSpec {
  Shape shape;  // dimensions may be kUnknownDim
  DType dtype = DType::kFloat32;

  bool operator==(const TensorSpec&) const = default;
};

inline TensorSpec SpecOf(const Tensor& tensor) {
  return {tensor.shape(), tensor.dtype()};
}

// "float32 (None, 28, 28, 1)".
inline std::string ToString(const TensorSpec& spec) {
  return std::string(DTypeName(spec.dtype)) + " " + ToString(spec.shape);
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_TENSOR_SPEC_H_
