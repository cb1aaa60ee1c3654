// One step of an optimizer on lists of variables: sgd_update.h, adam_update.h,
// adagrad_update.h, rms_prop_update.h and decay_weights.h.
//
// The host is given the step's numbers as such, a GPU finds them in its memory.
#include <fmt/format.h>

#include "reference/kernels/adagrad_update.h"
#include "reference/kernels/adam_update.h"
#include "reference/kernels/decay_weights.h"
#include "reference/kernels/kernel_cases.h"
#include "reference/kernels/rms_prop_update.h"
#include "reference/kernels/sgd_update.h"
#include "reference/kernels/variable_shapes.h"

namespace lockstep::kernels {
namespace {

// A multiple of 2^-8, so that it is the same as float32.
constexpr double kRate = 0.0625;

// `count` tensors for each variable, all of the variable's shape.
template <typename T>
Tensors Values(int count) {
  Tensors values;
  uint32_t seed = 20;
  for (const Shape& shape : VariableShapes()) {
    for (int i = 0; i < count; ++i) {
      values.push_back(Awkward<T>(shape, ++seed));
    }
  }
  return values;
}

// Copies that may be written to, on the device of the originals.
Tensors Copies(const Tensors& values) {
  Tensors copies;
  for (const Tensor& value : values) {
    copies.push_back(value.Clone(value.device()));
  }
  return copies;
}

// Step `number`, which counts from 1, on a GPU.
GpuStep StepOn(Device& device, int64_t number, bool taken = true) {
  return {.learning_rate = Tensor::Scalar(kRate, device),
          .iterations = Tensor::Scalar<int64_t>(number - 1, device),
          .taken = Tensor::Scalar(taken, device)};
}

KernelCase SgdCase(const Tensors& values, const SgdOptions& options) {
  return {fmt::format("SgdUpdate/{}/momentum:{}/nesterov:{}",
                      DTypeName(values[0].dtype()), options.momentum,
                      options.nesterov),
          values, [options](const Tensors& in) {
            Tensors out = Copies(in);
            std::vector<SgdItem> items;
            for (size_t i = 0; i < out.size(); i += 3) {
              items.push_back({&out[i], &in[i + 1],
                               options.momentum != 0 ? &out[i + 2] : nullptr});
            }
            if (in[0].on_host()) {
              SgdUpdate(items, options);
            } else {
              SgdUpdate(items, options, StepOn(in[0].device(), 1));
            }
            return out;
          }};
}

// In float64 a GPU's power of beta may be off by 2 in the last place, which
// 1 - beta_2^step makes up to 1000 times larger.
KernelCase AdamCase(const Tensors& values, int64_t step) {
  const double ulps = values[0].dtype() == DType::kFloat64 ? 4000 : 0;
  return {
      fmt::format("AdamUpdate/{}/step:{}", DTypeName(values[0].dtype()), step),
      values,
      [step](const Tensors& in) {
        Tensors out = Copies(in);
        std::vector<AdamItem> items;
        for (size_t i = 0; i < out.size(); i += 4) {
          items.push_back({&out[i], &in[i + 1], &out[i + 2], &out[i + 3]});
        }
        if (in[0].on_host()) {
          AdamUpdate(items, {.learning_rate = kRate}, step);
        } else {
          AdamUpdate(items, {}, StepOn(in[0].device(), step));
        }
        return out;
      },
      ulps};
}

// Adagrad and RMSprop, whose items are alike.
template <class Item, class Options>
KernelCase SquaresCase(const std::string& name, const Tensors& values,
                       void (*on_host)(std::span<const Item>, const Options&),
                       void (*on_gpu)(std::span<const Item>, const Options&,
                                      const GpuStep&)) {
  return {fmt::format("{}/{}", name, DTypeName(values[0].dtype())), values,
          [=](const Tensors& in) {
            Tensors out = Copies(in);
            std::vector<Item> items;
            for (size_t i = 0; i < out.size(); i += 3) {
              items.push_back({&out[i], &in[i + 1], &out[i + 2]});
            }
            if (in[0].on_host()) {
              on_host(items, {.learning_rate = kRate});
            } else {
              on_gpu(items, {}, StepOn(in[0].device(), 1));
            }
            return out;
          }};
}

KernelCase DecayCase(const Tensors& values) {
  constexpr double kDecay = 0.004;
  return {fmt::format("DecayWeights/{}", DTypeName(values[0].dtype())), values,
          [](const Tensors& in) {
            Tensors out = Copies(in);
            std::vector<Tensor*> variables;
            for (Tensor& variable : out) variables.push_back(&variable);
            if (!in[0].on_host()) {
              DecayWeights(variables, kDecay, StepOn(in[0].device(), 1));
            } else {
              for (Tensor* variable : variables) {
                DecayWeights(*variable, kDecay * kRate);
              }
            }
            return out;
          }};
}

// A step that is not taken changes nothing.
KernelCase SkippedCase(const Tensors& values) {
  return {"AdamUpdate/not_taken", values, [](const Tensors& in) {
            Tensors out = Copies(in);
            if (in[0].on_host()) return out;
            const AdamItem item{&out[0], &in[1], &out[2], &out[3]};
            AdamUpdate({&item, 1}, {}, StepOn(in[0].device(), 1, false));
            return out;
          }};
}

template <typename T>
void Append(std::vector<KernelCase>& cases) {
  const Tensors three = Values<T>(3), four = Values<T>(4);
  for (const double momentum : {0.0, 0.9}) {
    cases.push_back(
        SgdCase(three, {.learning_rate = kRate, .momentum = momentum}));
  }
  cases.push_back(SgdCase(
      three, {.learning_rate = kRate, .momentum = 0.9, .nesterov = true}));
  for (const int64_t step : {1, 2, 1000}) {
    cases.push_back(AdamCase(four, step));
  }
  cases.push_back(SquaresCase<AdagradItem, AdagradOptions>(
      "AdagradUpdate", three, &AdagradUpdate, &AdagradUpdate));
  cases.push_back(SquaresCase<RmsPropItem, RmsPropOptions>(
      "RmsPropUpdate", three, &RmsPropUpdate, &RmsPropUpdate));
  cases.push_back(DecayCase(Values<T>(1)));
}

}  // namespace

std::vector<KernelCase> OptimizerCases() {
  std::vector<KernelCase> cases;
  Append<float>(cases);
  Append<double>(cases);
  cases.push_back(SkippedCase(Values<float>(4)));
  return cases;
}

}  // namespace lockstep::kernels
