// Tensors that are changed where they are: add_in_place.h and assign_where.h.
#include <fmt/format.h>

#include "reference/kernels/add_in_place.h"
#include "reference/kernels/assign_where.h"
#include "reference/kernels/kernel_cases.h"

namespace lockstep::kernels {
namespace {

KernelCase SumCase(const Tensor& target, const Tensor& delta) {
  return {fmt::format("InPlace/{}", Describe(target)),
          {target, delta},
          [](const Tensors& in) {
            Tensors out = {in[0].Clone(in[0].device()),
                           in[0].Clone(in[0].device())};
            AddInPlace(out[0], in[1]);
            SubtractInPlace(out[1], in[1]);
            return out;
          }};
}

KernelCase AssignCase(const Tensor& target, const Tensor& value) {
  return {fmt::format("AssignWhere/{}", Describe(target)),
          {target, value},
          [](const Tensors& in) {
            Device& device = in[0].device();
            Tensors out = {in[0].Clone(device), in[0].Clone(device)};
            AssignWhere(Tensor::Scalar(true, device), out[0], in[1]);
            AssignWhere(Tensor::Scalar(false, device), out[1], in[1]);
            return out;
          }};
}

template <typename T>
void Append(std::vector<KernelCase>& cases) {
  for (const Shape& shape : {Shape{1000}, Shape{0, 3}, Shape{}}) {
    cases.push_back(SumCase(Awkward<T>(shape), Awkward<T>(shape, 2)));
  }
  cases.push_back(AssignCase(Awkward<T>(Shape{7}), Awkward<T>(Shape{7}, 2)));
}

}  // namespace

std::vector<KernelCase> InPlaceCases() {
  std::vector<KernelCase> cases;
  Append<float>(cases);
  Append<double>(cases);
  Append<int32_t>(cases);
  Append<int64_t>(cases);
  Append<uint8_t>(cases);
  for (const DType narrow : {DType::kBFloat16, DType::kFloat16}) {
    const Tensor a = Awkward<float>(Shape{1000}).Cast(narrow);
    const Tensor b = Awkward<float>(Shape{1000}, 2).Cast(narrow);
    cases.push_back(SumCase(a, b));
    cases.push_back(AssignCase(a, b));
  }
  return cases;
}

}  // namespace lockstep::kernels
