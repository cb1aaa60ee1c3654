#include "reference/autodiff/ops/batch_norm.h"

#include <utility>

#include "reference/autodiff/gradient_tape.h"

namespace lockstep::ops {
namespace {

using kernels::BatchNormGradients;
using kernels::BatchNormOptions;
using kernels::BatchNormSaved;

using BackwardKernel = BatchNormGradients(const BatchNormSaved&, const Tensor&,
                                          const BatchNormOptions&, bool);

// Tells the tapes of `y`, whose gradients `backward` gives.
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

}  // namespace lockstep::ops
