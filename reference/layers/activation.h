// What follows a layer's linear part.
//
//   Activate(Activation::kRelu, [-1, 2])   // [0, 2]
#ifndef LOCKSTEP_REFERENCE_LAYERS_ACTIVATION_H_
#define LOCKSTEP_REFERENCE_LAYERS_ACTIVATION_H_

#include <string_view>

#include "reference/tensor/tensor.h"

namespace lockstep {

enum class Activation { kLinear, kRelu, kSigmoid, kSoftmax, kTanh };

// "linear", "relu", "sigmoid", "softmax", "tanh".
std::string_view ActivationName(Activation activation);
// Errors: InvalidArgument for a name that is none of them.
Activation ParseActivation(std::string_view name);

// Differentiable; softmax along the last axis.
Tensor Activate(Activation activation, const Tensor& x);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_ACTIVATION_H_
