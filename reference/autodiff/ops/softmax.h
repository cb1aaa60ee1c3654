// Differentiable softmax and the cross-entropies that go with it; types and
// errors as the kernels of the same names.
//
//   ops::SparseSoftmaxCrossEntropy(logits, labels);   // [N, C], [N] -> [N]
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_SOFTMAX_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_SOFTMAX_H_

#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// Along the last axis.
Tensor Softmax(const Tensor& x);

// Losses [N]; integer labels have no gradient.
Tensor SparseSoftmaxCrossEntropy(const Tensor& logits, const Tensor& labels);

// Losses [N]; labels [N, C] are taken as constants.
Tensor SoftmaxCrossEntropy(const Tensor& logits, const Tensor& labels);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_SOFTMAX_H_
