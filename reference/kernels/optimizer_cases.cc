// One step of an optimizer on lists of variables: sgd_update.h, adam_update.h.
#include <fmt/format.h>

#include "reference/kernels/adam_update.h"
#include "reference/kernels/kernel_cases.h"
#include "reference/kernels/sgd_update.h"

namespace lockstep::kernels {
namespace {

// More variables than one launch takes, some of no elements.
std::vector<Shape> VariableShapes() {
  std::vector<Shape> shapes = {Shape{3, 3, 1, 32}, Shape{32},    Shape{0, 4},
                               Shape{1},           Shape{70001}, Shape{}};
  for (int64_t i = 0; i < 150; ++i) shapes.push_back(Shape{i});
  return shapes;
}

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
            SgdUpdate(items, options);
            return out;
          }};
}

KernelCase AdamCase(const Tensors& values, int64_t step) {
  return {
      fmt::format("AdamUpdate/{}/step:{}", DTypeName(values[0].dtype()), step),
      values, [step](const Tensors& in) {
        Tensors out = Copies(in);
        std::vector<AdamItem> items;
        for (size_t i = 0; i < out.size(); i += 4) {
          items.push_back({&out[i], &in[i + 1], &out[i + 2], &out[i + 3]});
        }
        AdamUpdate(items, {.learning_rate = 0.01}, step);
        return out;
      }};
}

}  // namespace

std::vector<KernelCase> OptimizerCases() {
  std::vector<KernelCase> cases;
  for (const Tensors& values : {Values<float>(3), Values<double>(3)}) {
    cases.push_back(SgdCase(values, {.learning_rate = 0.1}));
    cases.push_back(SgdCase(values, {.learning_rate = 0.1, .momentum = 0.9}));
    cases.push_back(SgdCase(
        values, {.learning_rate = 0.1, .momentum = 0.9, .nesterov = true}));
  }
  for (const int64_t step : {1, 2, 1000}) {
    cases.push_back(AdamCase(Values<float>(4), step));
    cases.push_back(AdamCase(Values<double>(4), step));
  }
  return cases;
}

}  // namespace lockstep::kernels
