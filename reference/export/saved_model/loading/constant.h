// Numbers that stand in a graph.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_CONSTANT_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_CONSTANT_H_

#include <string>

#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

// On the host. A file may say less numbers than there are elements: the last one
// stands for the rest, 0 where there is none. So a few bytes can say any size;
// `most_bytes` limits it. Errors, led by `place`: DataLoss for numbers that are
// not the shape's; Unimplemented for types that are not offered;
// ResourceExhausted for a larger tensor.
Tensor ReadConstant(const saved_model::TensorProto& proto,
                    const std::string& place, double most_bytes);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_CONSTANT_H_
