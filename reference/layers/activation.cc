#include "reference/layers/activation.h"

#include <array>
#include <utility>

#include "reference/autodiff/ops/softmax.h"
#include "reference/autodiff/ops/unary.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr std::array<std::pair<Activation, std::string_view>, 5> kNames = {
    {{Activation::kLinear, "linear"},
     {Activation::kRelu, "relu"},
     {Activation::kSigmoid, "sigmoid"},
     {Activation::kSoftmax, "softmax"},
     {Activation::kTanh, "tanh"}}};

}  // namespace

std::string_view ActivationName(Activation activation) {
  return kNames[static_cast<size_t>(activation)].second;
}

Activation ParseActivation(std::string_view name) {
  for (const auto& [activation, known] : kNames) {
    if (known == name) return activation;
  }
  throw InvalidArgument("[Activation] no activation is named '{}'", name);
}

Tensor Activate(Activation activation, const Tensor& x) {
  switch (activation) {
    case Activation::kRelu:
      return ops::Relu(x);
    case Activation::kSigmoid:
      return ops::Sigmoid(x);
    case Activation::kSoftmax:
      return ops::Softmax(x);
    case Activation::kTanh:
      return ops::Tanh(x);
    case Activation::kLinear:
      break;
  }
  return x;
}

}  // namespace lockstep
