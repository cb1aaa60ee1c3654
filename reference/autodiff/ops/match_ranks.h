// The shapes Keras' losses and metrics accept, brought together.
//
//   labels [64, 1] with values [64]: SqueezeTo(labels, 1) is [64]
//   weights [2] with values [2, 3]: AlignWeights gives [2, 1]
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_MATCH_RANKS_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_MATCH_RANKS_H_

#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// Drops a last axis of length 1 when the tensor has one axis more than `rank`;
// else the tensor itself.
Tensor SqueezeTo(const Tensor& x, int rank);

// Weights in the values' type and in a shape that broadcasts to theirs: a
// scalar, one weight a row (or leading axes), or one an element; an extra last
// axis of length 1 is dropped.
// Errors: InvalidArgument, led by `caller`, for other shapes.
Tensor AlignWeights(const char* caller, const Tensor& weights,
                    const Tensor& values);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_MATCH_RANKS_H_
