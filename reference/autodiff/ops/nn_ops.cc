#include "reference/autodiff/ops/nn_ops.h"

#include <utility>

#include "reference/autodiff/gradient_tape.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/elementwise/unary.h"
#include "reference/kernels/linear/matmul.h"
#include "reference/kernels/normalization/layer_norm.h"
#include "reference/kernels/normalization/softmax.h"

namespace lockstep::ops {

Tensor MatMul(const Tensor& a, const Tensor& b, bool transpose_a,
              bool transpose_b) {
  Tensor product = kernels::MatMul(a, b, transpose_a, transpose_b);
  RecordOperation({a, b}, product,
                  [a, b, transpose_a, transpose_b](
                      const Tensor& dy, std::span<const bool> needed) {
                    Gradients d(2);
                    if (needed[0]) {
                      d[0] = transpose_a
                                 ? kernels::MatMul(b, dy, transpose_b, true)
                                 : kernels::MatMul(dy, b, false, !transpose_b);
                    }
                    if (needed[1]) {
                      d[1] = transpose_b
                                 ? kernels::MatMul(dy, a, true, transpose_a)
                                 : kernels::MatMul(a, dy, !transpose_a, false);
                    }
                    return d;
                  });
  return product;
}

Tensor Dense(const Tensor& x, const Tensor& kernel, const Tensor& bias,
             bool relu) {
  Tensor y = kernels::Dense(x, kernel, bias, relu);
  RecordOperation({x, kernel, bias}, y,
                  [x, kernel, mask = relu ? y : Tensor(), relu](
                      const Tensor& dy, std::span<const bool> needed) {
                    kernels::DenseGradients d = kernels::DenseBackward(
                        x, kernel, mask, dy, relu, needed[0]);
                    Gradients result(3);
                    if (needed[0]) result[0] = std::move(d.x);
                    if (needed[1]) result[1] = std::move(d.kernel);
                    if (needed[2]) result[2] = std::move(d.bias);
                    return result;
                  });
  return y;
}

namespace {

Gradients Needed(kernels::Conv2DGradients d, std::span<const bool> needed) {
  Gradients result(3);
  if (needed[0]) result[0] = std::move(d.x);
  if (needed[1]) result[1] = std::move(d.filter);
  if (needed[2]) result[2] = std::move(d.bias);
  return result;
}

}  // namespace

Tensor Conv2D(const Tensor& x, const Tensor& filter, const Tensor& bias,
              const kernels::Conv2DOptions& options) {
  Tensor y = kernels::Conv2D(x, filter, bias, options);
  RecordOperation({x, filter, bias}, y,
                  [x, filter, mask = options.relu ? y : Tensor(), options](
                      const Tensor& dy, std::span<const bool> needed) {
                    return Needed(kernels::Conv2DBackward(x, filter, mask, dy,
                                                          options, needed[0]),
                                  needed);
                  });
  return y;
}

Tensor AvgPool2D(const Tensor& x, const kernels::AvgPool2DOptions& options) {
  Tensor y = kernels::AvgPool2D(x, options);
  RecordOperation(
      {x}, y,
      [x_shape = x.shape(), options](const Tensor& dy, std::span<const bool>) {
        return Gradients{kernels::AvgPool2DBackward(x_shape, dy, options)};
      });
  return y;
}

Tensor MaxPool2D(const Tensor& x, const kernels::MaxPool2DOptions& options) {
  kernels::MaxPool2DResult result = kernels::MaxPool2D(x, options);
  RecordOperation({x}, result.y,
                  [x_shape = x.shape(), argmax = std::move(result.argmax),
                   options](const Tensor& dy, std::span<const bool>) {
                    return Gradients{kernels::MaxPool2DBackward(x_shape, argmax,
                                                                dy, options)};
                  });
  return result.y;
}

Tensor Conv2DReluMaxPool2D(const Tensor& x, const Tensor& filter,
                           const Tensor& bias,
                           const kernels::Conv2DReluMaxPool2DOptions& options) {
  kernels::Conv2DReluMaxPool2DResult result =
      kernels::Conv2DReluMaxPool2D(x, filter, bias, options);
  RecordOperation({x, filter, bias}, result.y,
                  [x, filter, selection = std::move(result.selection), options](
                      const Tensor& dy, std::span<const bool> needed) {
                    return Needed(
                        kernels::Conv2DReluMaxPool2DBackward(
                            x, filter, selection, dy, options, needed[0]),
                        needed);
                  });
  return result.y;
}

namespace {

using kernels::BatchNormGradients;
using kernels::BatchNormOptions;
using kernels::BatchNormSaved;

using BackwardKernel = BatchNormGradients(const BatchNormSaved&, const Tensor&,
                                          const BatchNormOptions&, bool);

// Records `y`, whose gradients `backward` computes.
void Record(const BatchNormSaved& saved, const Tensor& beta,
            const Tensor& addend, const Tensor& y,
            const BatchNormOptions& options, BackwardKernel* backward) {
  RecordOperation({saved.x, saved.gamma, beta, addend}, y,
                  [saved, options, backward](const Tensor& dy,
                                             std::span<const bool> needed) {
                    BatchNormGradients d =
                        backward(saved, dy, options, needed[3]);
                    Gradients result(4);
                    if (needed[0]) result[0] = std::move(d.x);
                    if (needed[1]) result[1] = std::move(d.gamma);
                    if (needed[2]) result[2] = std::move(d.beta);
                    if (needed[3]) result[3] = std::move(d.addend);
                    return result;
                  });
}

}  // namespace

kernels::BatchNormResult BatchNorm(const Tensor& x, const Tensor& gamma,
                                   const Tensor& beta, const Tensor& addend,
                                   const BatchNormOptions& options) {
  kernels::BatchNormResult result =
      kernels::BatchNorm(x, gamma, beta, addend, options);
  Record({x, gamma, result.mean, result.variance,
          options.relu ? result.y : Tensor()},
         beta, addend, result.y, options, kernels::BatchNormBackward);
  return result;
}

Tensor BatchNormInference(const Tensor& x, const Tensor& gamma,
                          const Tensor& beta, const Tensor& mean,
                          const Tensor& variance, const Tensor& addend,
                          const BatchNormOptions& options) {
  const Tensor y = kernels::BatchNormInference(x, gamma, beta, mean, variance,
                                               addend, options);
  Record({x, gamma, mean, variance, options.relu ? y : Tensor()}, beta, addend,
         y, options, kernels::BatchNormInferenceBackward);
  return y;
}

Tensor LayerNorm(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                 double epsilon) {
  kernels::LayerNormResult result = kernels::LayerNorm(x, gamma, beta, epsilon);
  RecordOperation({x, gamma, beta}, result.y,
                  [saved = std::move(result.saved)](
                      const Tensor& dy, std::span<const bool> needed) {
                    kernels::LayerNormGradients d =
                        kernels::LayerNormBackward(saved, dy);
                    Gradients gradients(3);
                    if (needed[0]) gradients[0] = std::move(d.x);
                    if (needed[1]) gradients[1] = std::move(d.gamma);
                    if (needed[2]) gradients[2] = std::move(d.beta);
                    return gradients;
                  });
  return result.y;
}

Tensor Gelu(const Tensor& x, kernels::GeluForm form) {
  Tensor y = kernels::Gelu(x, form);
  RecordOperation({x}, y, [x, form](const Tensor& dy, std::span<const bool>) {
    return Gradients{kernels::GeluBackward(x, dy, form)};
  });
  return y;
}

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

namespace {

// max(x, 0) - x label + log(1 + exp(-|x|)). In float64, because in float32 1 +
// exp(-|x|) would round to 1 for confident predictions, whose loss is not 0.
Tensor SigmoidLoss(const Tensor& logits, const Tensor& labels) {
  using namespace kernels;  // NOLINT: for a readable formula
  const Tensor x = logits.Cast(DType::kFloat64);
  const Tensor linear =
      Subtract(Relu(x), Multiply(x, labels.Cast(DType::kFloat64)));
  const Tensor decay = Exp(Negate(Abs(x)));
  const Tensor one = Tensor::Scalar(1.0, x.device());
  return Add(linear, Log(Add(decay, one))).Cast(logits.dtype());
}

}  // namespace

Tensor SigmoidCrossEntropy(const Tensor& logits, const Tensor& labels) {
  Tensor losses = SigmoidLoss(logits, labels);
  RecordOperation(
      {logits}, losses,
      [logits, labels](const Tensor& dy, std::span<const bool>) {
        return Gradients{kernels::Multiply(
            kernels::Subtract(kernels::Sigmoid(logits), labels), dy)};
      });
  return losses;
}

Tensor Attention(const Tensor& query, const Tensor& key, const Tensor& value,
                 const kernels::AttentionOptions& options) {
  const kernels::AttentionInputs inputs{query, key, value};
  kernels::AttentionResult result = kernels::Attention(inputs, options);
  RecordOperation({query, key, value}, result.y,
                  [inputs, probabilities = std::move(result.probabilities)](
                      const Tensor& dy, std::span<const bool>) {
                    kernels::AttentionInputs d =
                        kernels::AttentionBackward(inputs, probabilities, dy);
                    return Gradients{std::move(d.query), std::move(d.key),
                                     std::move(d.value)};
                  });
  return result.y;
}

}  // namespace lockstep::ops
