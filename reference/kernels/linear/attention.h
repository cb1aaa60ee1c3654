// Multi-head scaled dot-product attention (Vaswani et al., "Attention is all
// you need", 2017).
//
// For each example and head, of queries [T, D], keys [S, D] and values [S, E]:
//
//   y = softmax(query key^T / sqrt(D)) value     // [T, E]
//
// Tensors are [batch, positions, heads, size], float32 or float64.
#ifndef LOCKSTEP_REFERENCE_KERNELS_LINEAR_ATTENTION_H_
#define LOCKSTEP_REFERENCE_KERNELS_LINEAR_ATTENTION_H_

#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

struct AttentionOptions {
  // Position t sees only positions up to t.
  bool causal = false;
  // bool [N, S]: which keys may be seen, e.g. which are no padding. Undefined:
  // all.
  Tensor seen_keys = {};
};

struct AttentionInputs {
  Tensor query;  // [N, T, H, D]
  Tensor key;    // [N, S, H, D]
  Tensor value;  // [N, S, H, E]
};

struct AttentionResult {
  Tensor y;              // [N, T, H, E]
  Tensor probabilities;  // [N, H, T, S], for the gradient
};

// y is 0 where no key is seen. (Keras and PyTorch add -1e9 or -infinity to the
// scores of hidden keys; where all are hidden, the former averages their values
// and the latter returns NaN.) The bits do not depend on the team's size.
// Errors: InvalidArgument for other types, and shapes that do not match;
// Unimplemented on a GPU.
AttentionResult Attention(const AttentionInputs& inputs,
                          const AttentionOptions& options);

// The gradients of the inputs for `dy`, that of y. Errors as Attention.
AttentionInputs AttentionBackward(const AttentionInputs& inputs,
                                  const Tensor& probabilities,
                                  const Tensor& dy);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_LINEAR_ATTENTION_H_
