// Differentiable operations of neural networks; shapes, types and errors as the
// kernels of the same names.
//
//   ops::Dense(x, kernel, bias, /*relu=*/true);       // one pass over y
//   ops::SparseSoftmaxCrossEntropy(logits, labels);   // [N, C], [N] -> [N]
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_NN_OPS_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_NN_OPS_H_

#include "reference/kernels/convolution/conv2d.h"
#include "reference/kernels/convolution/conv2d_relu_max_pool2d.h"
#include "reference/kernels/elementwise/gelu.h"
#include "reference/kernels/linear/attention.h"
#include "reference/kernels/normalization/batch_norm.h"
#include "reference/kernels/pooling/pool2d.h"
#include "reference/tensor/tensor.h"

namespace lockstep::ops {

Tensor MatMul(const Tensor& a, const Tensor& b, bool transpose_a = false,
              bool transpose_b = false);

// x times kernel plus bias; `bias` may be undefined.
Tensor Dense(const Tensor& x, const Tensor& kernel, const Tensor& bias,
             bool relu = false);

// Convolution and pooling of float32 images [N, H, W, C].
//
//   Tensor y = ops::Conv2DReluMaxPool2D(x, filter, bias, options);
//   // the same values as, but much faster than
//   y = ops::MaxPool2D(ops::Conv2D(x, filter, bias, {.relu = true}), pool);
//
// `bias` may be undefined.
Tensor Conv2D(const Tensor& x, const Tensor& filter, const Tensor& bias,
              const kernels::Conv2DOptions& options);

Tensor AvgPool2D(const Tensor& x, const kernels::AvgPool2DOptions& options);
Tensor MaxPool2D(const Tensor& x, const kernels::MaxPool2DOptions& options);

Tensor Conv2DReluMaxPool2D(const Tensor& x, const Tensor& filter,
                           const Tensor& bias,
                           const kernels::Conv2DReluMaxPool2DOptions& options);

// Batch normalization; the formula is in kernels/normalization/batch_norm.h.
//
//   auto [y, mean, variance] = ops::BatchNorm(x, gamma, beta, {}, {});
//   Tensor z = ops::BatchNormInference(x, gamma, beta, mean, variance, {}, {});
//
// y is differentiable in x (also through the moments), gamma, beta and addend.
// The results mean and variance have no gradient.
kernels::BatchNormResult BatchNorm(const Tensor& x, const Tensor& gamma,
                                   const Tensor& beta, const Tensor& addend,
                                   const kernels::BatchNormOptions& options);

// Differentiable in x, gamma, beta and addend.
Tensor BatchNormInference(const Tensor& x, const Tensor& gamma,
                          const Tensor& beta, const Tensor& mean,
                          const Tensor& variance, const Tensor& addend,
                          const kernels::BatchNormOptions& options);

// The formula is in kernels/normalization/layer_norm.h; gamma and beta may be
// undefined.
Tensor LayerNorm(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                 double epsilon);

Tensor Gelu(const Tensor& x, kernels::GeluForm form);

// The softmax along the last axis.
Tensor Softmax(const Tensor& x);

// Losses [N]. Integer labels have no gradient.
Tensor SparseSoftmaxCrossEntropy(const Tensor& logits, const Tensor& labels);

// Losses [N]. Labels [N, C] are constants.
Tensor SoftmaxCrossEntropy(const Tensor& logits, const Tensor& labels);

// -(label * log(p) + (1 - label) * log(1 - p)) of p = sigmoid(logit) for each
// element, without overflow. Labels have the logits' shape and type and are
// constants.
Tensor SigmoidCrossEntropy(const Tensor& logits, const Tensor& labels);

// Multi-head scaled dot-product attention; each tensor is [N, positions, heads,
// size].
Tensor Attention(const Tensor& query, const Tensor& key, const Tensor& value,
                 const kernels::AttentionOptions& options);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_NN_OPS_H_
