// Softmax and the losses fused with it, forward and gradient.
#include <fmt/format.h>

#include <limits>

#include "reference/kernels/kernel_cases.h"
#include "reference/kernels/softmax.h"
#include "reference/kernels/softmax_cross_entropy.h"
#include "reference/kernels/sparse_softmax_cross_entropy.h"
#include "reference/kernels/test_tensors.h"
#include "reference/kernels/unary.h"

namespace lockstep::kernels {
namespace {

// Two exponential functions and, in float64, sums of as many positive numbers as
// there are classes in another order; those of float32 are float64 too.
double UlpsFor(const Tensor& x) {
  const int64_t classes = x.rank() == 0 ? 1 : x.dim(x.rank() - 1);
  return 8.0 +
         (x.dtype() == DType::kFloat64 ? static_cast<double>(classes) : 0.0);
}

const Shape kMatrices[] = {Shape{1, 1},  Shape{64, 10}, Shape{33, 7},
                           Shape{0, 10}, Shape{5, 33},  Shape{3, 1000}};

// Logits in (-8, 8) with some infinities and one row of NaN.
Tensor Logits(const Shape& shape, DType dtype) {
  Tensor x = Fractions(shape, 11).ToHost();
  float* data = x.mutable_data<float>();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    data[i] *= 8;
    if (i % 29 == 13) data[i] = -kInfinity;
    if (i == 95) data[i] = std::numeric_limits<float>::quiet_NaN();
    if (i == 205) data[i] = kInfinity;
  }
  return x.Cast(dtype);
}

template <typename L>
Tensor Labels(int64_t rows, int64_t classes) {
  std::vector<L> labels;
  for (int64_t i = 0; i < rows; ++i) {
    labels.push_back(static_cast<L>(i * 7 % classes));
  }
  return Tensor::FromVector<L>(labels, Shape{rows}, Device::Host());
}

KernelCase SoftmaxCase(const Tensor& x) {
  return {fmt::format("Softmax/{}", Describe(x)),
          {x, Fractions(x.shape(), 12).ToHost().Cast(x.dtype())},
          [](const Tensors& in) {
            return Tensors{Softmax(in[0]), SoftmaxBackward(in[1], in[1])};
          },
          UlpsFor(x)};
}

KernelCase SparseCase(const Tensor& logits, const Tensor& labels) {
  const Tensor scores =
      Fractions(logits.shape(), 13).ToHost().Cast(logits.dtype());
  const Tensor dloss =
      Fractions(Shape{logits.dim(0)}, 14).ToHost().Cast(logits.dtype());
  return {
      fmt::format("SparseSoftmaxCrossEntropy/{}/{}", Describe(logits),
                  Describe(labels)),
      {logits, labels, scores, dloss},
      [](const Tensors& in) {
        const auto [loss, softmax] = SparseSoftmaxCrossEntropy(in[0], in[1]);
        return Tensors{loss, softmax,
                       SparseSoftmaxCrossEntropyBackward(in[2], in[1], in[3])};
      },
      UlpsFor(logits)};
}

KernelCase DenseCase(const Tensor& logits) {
  const Tensor labels =
      Abs(SmallIntegers(logits.shape(), 15).ToHost()).Cast(logits.dtype());
  const Tensor dloss =
      Fractions(Shape{logits.dim(0)}, 16).ToHost().Cast(logits.dtype());
  return {fmt::format("SoftmaxCrossEntropy/{}", Describe(logits)),
          {logits, labels, dloss},
          [](const Tensors& in) {
            const auto [loss, softmax] = SoftmaxCrossEntropy(in[0], in[1]);
            return Tensors{loss, softmax,
                           SoftmaxCrossEntropyBackward(in[1], in[1], in[2])};
          },
          UlpsFor(logits)};
}

}  // namespace

std::vector<KernelCase> SoftmaxCases() {
  std::vector<KernelCase> cases;
  for (const Shape& shape : kMatrices) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      const Tensor logits = Logits(shape, dtype);
      cases.push_back(SoftmaxCase(logits));
      cases.push_back(DenseCase(logits));
      cases.push_back(SparseCase(logits, Labels<int32_t>(shape[0], shape[1])));
    }
    const Tensor logits = Logits(shape, DType::kFloat32);
    cases.push_back(SparseCase(logits, Labels<int64_t>(shape[0], shape[1])));
    cases.push_back(SparseCase(
        logits, Labels<uint8_t>(shape[0], std::min<int64_t>(shape[1], 255))));
  }
  cases.push_back(SoftmaxCase(Logits(Shape{4, 3, 5}, DType::kFloat32)));
  cases.push_back(SoftmaxCase(Logits(Shape{6}, DType::kFloat64)));
  cases.push_back(DenseCase(Logits(Shape{3, 0}, DType::kFloat32)));
  return cases;
}

}  // namespace lockstep::kernels
