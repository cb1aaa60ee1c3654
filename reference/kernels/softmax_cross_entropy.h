// -sum(labels * log(softmax(logits))) for each example; both [N, C].
//
//   SoftmaxCrossEntropy([[0, 0]], [[0.5, 0.5]])   // loss [0.6931472]
#ifndef LOCKSTEP_REFERENCE_KERNELS_SOFTMAX_CROSS_ENTROPY_H_
#define LOCKSTEP_REFERENCE_KERNELS_SOFTMAX_CROSS_ENTROPY_H_

#include "reference/kernels/device_kernel.h"
#include "reference/kernels/sparse_softmax_cross_entropy.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Types float32 or float64, the same for both.
// Errors: InvalidArgument for other types or for shapes that differ.
CrossEntropyResult SoftmaxCrossEntropy(const Tensor& logits,
                                       const Tensor& labels);

// The gradient of the logits for `dloss` [N]:
// (softmax * sum(labels) - labels) * dloss. Errors as above.
Tensor SoftmaxCrossEntropyBackward(const Tensor& softmax, const Tensor& labels,
                                   const Tensor& dloss);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::SoftmaxCrossEntropy)>
    SoftmaxCrossEntropy{"SoftmaxCrossEntropy"};
inline constinit DeviceKernel<decltype(kernels::SoftmaxCrossEntropyBackward)>
    SoftmaxCrossEntropyBackward{"SoftmaxCrossEntropyBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_SOFTMAX_CROSS_ENTROPY_H_
