// Softmax, and the losses that are fused with it.
#ifndef LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_SOFTMAX_H_
#define LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_SOFTMAX_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// exp(x) / sum(exp(x)) along the last axis of a float32 or float64 tensor.
//
//   Softmax([[0, 0], [1000, 0]])   // [[0.5, 0.5], [1, 0]]: no overflow
//
// Errors: InvalidArgument for another type or a scalar.
Tensor Softmax(const Tensor& x);

// The gradient of x: y * (dy - sum(dy * y)). Errors as Softmax, and for
// different shapes.
Tensor SoftmaxBackward(const Tensor& y, const Tensor& dy);

// -log(softmax(logits))[label] for each example; logits [N, C], labels [N].
//
//   SparseSoftmaxCrossEntropy([[0, 0]], [1])   // loss [0.6931472] = [log 2]
//                                              // softmax [[0.5, 0.5]]
struct CrossEntropyResult {
  Tensor loss;     // [N]
  Tensor softmax;  // [N, C], for the gradient
};

// logits: float32 or float64; labels: int32, int64 or uint8. Errors:
// InvalidArgument for other types or shapes, and for a label that is not in [0,
// C). On a GPU the host does not wait for the labels, and such a label makes
// its example's loss and gradient NaN, as in TensorFlow.
CrossEntropyResult SparseSoftmaxCrossEntropy(const Tensor& logits,
                                             const Tensor& labels);

// The gradient of the logits for `dloss` [N], the gradient of the losses:
// (softmax - one_hot(label)) * dloss. Errors as above.
Tensor SparseSoftmaxCrossEntropyBackward(const Tensor& softmax,
                                         const Tensor& labels,
                                         const Tensor& dloss);

// -sum(labels * log(softmax(logits))) for each example; both [N, C].
//
//   SoftmaxCrossEntropy([[0, 0]], [[0.5, 0.5]])   // loss [0.6931472]
//
// Both are float32 or both float64. Errors: InvalidArgument for other types or
// for different shapes.
CrossEntropyResult SoftmaxCrossEntropy(const Tensor& logits,
                                       const Tensor& labels);

// The gradient of the logits for `dloss` [N]:
// (softmax * sum(labels) - labels) * dloss. Errors as above.
Tensor SoftmaxCrossEntropyBackward(const Tensor& softmax, const Tensor& labels,
                                   const Tensor& dloss);

// GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::Softmax)> Softmax{"Softmax"};
inline constinit DeviceKernel<decltype(kernels::SoftmaxBackward)>
    SoftmaxBackward{"SoftmaxBackward"};
inline constinit DeviceKernel<decltype(kernels::SparseSoftmaxCrossEntropy)>
    SparseSoftmaxCrossEntropy{"SparseSoftmaxCrossEntropy"};
inline constinit DeviceKernel<
    decltype(kernels::SparseSoftmaxCrossEntropyBackward)>
    SparseSoftmaxCrossEntropyBackward{"SparseSoftmaxCrossEntropyBackward"};
inline constinit DeviceKernel<decltype(kernels::SoftmaxCrossEntropy)>
    SoftmaxCrossEntropy{"SoftmaxCrossEntropy"};
inline constinit DeviceKernel<decltype(kernels::SoftmaxCrossEntropyBackward)>
    SoftmaxCrossEntropyBackward{"SoftmaxCrossEntropyBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_SOFTMAX_H_
