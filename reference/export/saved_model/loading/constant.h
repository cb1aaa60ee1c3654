// Reads constants of a graph.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_CONSTANT_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_CONSTANT_H_

#include <string>

#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

// Returns a tensor on the host. A file may have fewer numbers than the shape has
// elements: the last number is repeated, or 0 if there is none. So a few bytes can
// declare a tensor of any size, which `most_bytes` limits. Errors, which begin with
// `place`: DataLoss if the numbers do not fit the shape; Unimplemented for types
// that are not supported; ResourceExhausted if the tensor is larger.
Tensor ReadConstant(const saved_model::TensorProto& proto,
                    const std::string& place, double most_bytes);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_CONSTANT_H_
