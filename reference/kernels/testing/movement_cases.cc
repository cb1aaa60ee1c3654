// Cases of movement.h, and of views and copies of tensors.
#include <fmt/core.h>

#include <array>

#include "reference/kernels/movement/movement.h"
#include "reference/kernels/testing/kernel_cases.h"

namespace lockstep::kernels {
namespace {

KernelCase ConcatCase(int axis, const Tensors& inputs) {
  return {fmt::format("Concat/{}/axis:{}", Describe(inputs[0]), axis), inputs,
          [axis](const Tensors& in) { return Tensors{Concat(in, axis)}; }};
}

KernelCase SplitCase(const Tensor& x, std::vector<int64_t> sizes, int axis) {
  return {fmt::format("Split/{}/axis:{}", Describe(x), axis),
          {x},
          [=](const Tensors& in) { return Split(in[0], sizes, axis); }};
}

template <typename T>
KernelCase GatherCase(const Tensor& params, const std::vector<T>& indices) {
  const Tensor rows = Tensor::FromVector<T>(
      indices, Shape{static_cast<int64_t>(indices.size())}, Device::Host());
  return {fmt::format("Gather/{}/{}", Describe(params), Describe(rows)),
          {params, rows},
          [](const Tensors& in) { return Tensors{Gather(in[0], in[1])}; }};
}

KernelCase GatherBackwardCase(const Shape& params, const Tensor& dy,
                              const std::vector<int32_t>& indices) {
  const Tensor rows = Tensor::FromVector<int32_t>(
      indices, Shape{static_cast<int64_t>(indices.size())}, Device::Host());
  return {fmt::format("GatherBackward/{}/{}", ToString(params), Describe(dy)),
          {rows, dy},
          [params](const Tensors& in) {
            return Tensors{GatherBackward(params, in[0], in[1])};
          }};
}

KernelCase SwapCase(const Tensor& x) {
  return {fmt::format("SwapLastAxes/{}", Describe(x)),
          {x},
          [](const Tensors& in) { return Tensors{SwapLastAxes(in[0])}; }};
}

}  // namespace

std::vector<KernelCase> MovementCases() {
  const Tensor matrix = Awkward<float>(Shape{5, 7});
  std::vector<KernelCase> cases = {
      ConcatCase(0, {Awkward<float>(Shape{2, 3}), Awkward<float>(Shape{0, 3}),
                     Awkward<float>(Shape{5, 3})}),
      ConcatCase(-1, {Awkward<double>(Shape{2, 3, 1}),
                      Awkward<double>(Shape{2, 3, 4})}),
      ConcatCase(1, {Awkward<uint8_t>(Shape{3, 1, 5}),
                     Awkward<uint8_t>(Shape{3, 2, 5})}),
      ConcatCase(
          1, {Awkward<int64_t>(Shape{0, 2}), Awkward<int64_t>(Shape{0, 1})}),
      SplitCase(matrix, {2, 0, 3}, 0),
      SplitCase(matrix, {1, 4, 2}, 1),
      SplitCase(Awkward<int32_t>(Shape{3, 4, 5}), {1, 3}, -2),
      SplitCase(Awkward<double>(Shape{0, 4}), {1, 3}, 1),
      GatherCase<int32_t>(matrix, {4, 0, 0, 3}),
      GatherCase<int64_t>(Awkward<int64_t>(Shape{6, 2, 2}), {5, 1}),
      GatherCase<uint8_t>(Awkward<uint8_t>(Shape{3}), {2, 2, 1, 0}),
      GatherCase<int32_t>(matrix, {}),
      GatherBackwardCase(Shape{6, 7}, matrix, {4, 0, 4, 4, 5}),
      GatherBackwardCase(Shape{3}, Awkward<double>(Shape{4}), {1, 1, 1, 1}),
      GatherBackwardCase(Shape{3, 2}, Awkward<float>(Shape{0, 2}), {}),
      SwapCase(matrix),
      SwapCase(Awkward<double>(Shape{3, 2, 5})),
      SwapCase(Awkward<uint8_t>(Shape{2, 3, 1, 4})),
      SwapCase(Awkward<float>(Shape{2, 0, 4})),
  };
  cases.push_back({"Views/float32", {matrix}, [](const Tensors& in) {
                     return Tensors{in[0].Slice(1, 4), in[0].Row(2),
                                    in[0].Reshape(Shape{7, 5}).Slice(2, 3),
                                    in[0].Clone(in[0].device())};
                   }});
  return cases;
}

}  // namespace lockstep::kernels
