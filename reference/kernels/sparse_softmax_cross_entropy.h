// -log(softmax(logits))[label] for each example; logits [N, C], labels [N].
//
//   SparseSoftmaxCrossEntropy([[0, 0]], [1])   // loss [0.6931472] = [log 2]
//                                              // softmax [[0.5, 0.5]]
#ifndef LOCKSTEP_REFERENCE_KERNELS_SPARSE_SOFTMAX_CROSS_ENTROPY_H_
#define LOCKSTEP_REFERENCE_KERNELS_SPARSE_SOFTMAX_CROSS_ENTROPY_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

struct CrossEntropyResult {
  Tensor loss;     // [N]
  Tensor softmax;  // [N, C], for the gradient
};

// logits: float32 or float64; labels: int32, int64 or uint8.
// Errors: InvalidArgument for other types or shapes, and for a label that is
// not in [0, C). On a GPU, whose labels the host does not wait for, such a
// label makes its example's loss and gradient NaN, as TensorFlow has it.
CrossEntropyResult SparseSoftmaxCrossEntropy(const Tensor& logits,
                                             const Tensor& labels);

// The gradient of the logits for `dloss` [N], the gradient of the losses:
// (softmax - one_hot(label)) * dloss. Errors as above.
Tensor SparseSoftmaxCrossEntropyBackward(const Tensor& softmax,
                                         const Tensor& labels,
                                         const Tensor& dloss);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::SparseSoftmaxCrossEntropy)>
    SparseSoftmaxCrossEntropy{"SparseSoftmaxCrossEntropy"};
inline constinit DeviceKernel<
    decltype(kernels::SparseSoftmaxCrossEntropyBackward)>
    SparseSoftmaxCrossEntropyBackward{"SparseSoftmaxCrossEntropyBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_SPARSE_SOFTMAX_CROSS_ENTROPY_H_
