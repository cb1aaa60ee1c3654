#include "reference/autodiff/ops/softmax.h"

#include <utility>

#include "reference/autodiff/gradient_tape.h"
#include "reference/kernels/softmax.h"
#include "reference/kernels/softmax_cross_entropy.h"
#include "reference/kernels/sparse_softmax_cross_entropy.h"

namespace lockstep::ops {

Tensor Softmax(const Tensor& x) {
  Tensor y = kernels::Softmax(x);
  RecordOperation({x}, y, [y](const Tensor& dy, std::span<const bool>) {
    return Gradients{kernels::SoftmaxBackward(y, dy)};
  });
  return y;
}

Tensor SparseSoftmaxCrossEntropy(const Tensor& logits, const Tensor& labels) {
  kernels::CrossEntropyResult result =
      kernels::SparseSoftmaxCrossEntropy(logits, labels);
  RecordOperation({logits}, result.loss,
                  [softmax = std::move(result.softmax), labels](
                      const Tensor& dloss, std::span<const bool>) {
                    return Gradients{kernels::SparseSoftmaxCrossEntropyBackward(
                        softmax, labels, dloss)};
                  });
  return result.loss;
}

Tensor SoftmaxCrossEntropy(const Tensor& logits, const Tensor& labels) {
  kernels::CrossEntropyResult result =
      kernels::SoftmaxCrossEntropy(logits, labels);
  RecordOperation({logits}, result.loss,
                  [softmax = std::move(result.softmax), labels](
                      const Tensor& dloss, std::span<const bool>) {
                    return Gradients{kernels::SoftmaxCrossEntropyBackward(
                        softmax, labels, dloss)};
                  });
  return result.loss;
}

}  // namespace lockstep::ops
