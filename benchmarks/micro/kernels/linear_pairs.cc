// Dense layers, and the products inside of Winograd's algorithm.
#include <dnnl.h>
#include <fmt/core.h>

#include <memory>

#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/micro/kernels/kernel_pair.h"
#include "benchmarks/micro/kernels/onednn_sequence.h"
#include "reference/kernels/convolution/cpu/winograd.h"
#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/kernels/linear/matmul.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

using dnnl::memory;
using kernels_internal::DescribeGradient;
using kernels_internal::DescribePrimitive;
using Tag = memory::format_tag;

struct DenseWork {
  int64_t rows, inputs, outputs;
  bool relu;
};

struct DenseInputs {
  explicit DenseInputs(const DenseWork& w)
      : x(WholeNumbers(Shape{w.rows, w.inputs}, 1)),
        kernel(WholeNumbers(Shape{w.inputs, w.outputs}, 2)),
        bias(WholeNumbers(Shape{w.outputs}, 3)),
        dy(WholeNumbers(Shape{w.rows, w.outputs}, 4)) {}

  Tensor x, kernel, bias, dy;
};

// oneDNN's inner products, which may prefer another layout of the weights.
class OneDnnDense {
 public:
  explicit OneDnnDense(const DenseWork& work)
      : work_(work),
        x_({work.rows, work.inputs}, kFloat, Tag::ab),
        kernel_({work.outputs, work.inputs}, kFloat, Tag::any),
        bias_({work.outputs}, kFloat, Tag::a),
        y_({work.rows, work.outputs}, kFloat, Tag::ab),
        forward_(DescribePrimitive<dnnl::inner_product_forward>(
            work.relu ? OneDnnSequence::WithRelu() : dnnl::primitive_attr(),
            dnnl::prop_kind::forward_training, x_, kernel_, bias_, y_)) {}

  void AddForward(OneDnnSequence& calls, const DenseInputs& in,
                  const Tensor& y) const {
    calls.Add(dnnl::inner_product_forward(forward_),
              {{DNNL_ARG_SRC, Rows(calls, in.x)},
               {DNNL_ARG_WEIGHTS,
                calls.As(Kernel(calls, in.kernel), forward_.weights_desc())},
               {DNNL_ARG_BIAS, calls.Wrap(in.bias, {work_.outputs}, Tag::a)},
               {DNNL_ARG_DST, Rows(calls, y)}});
  }
  // The product's input: dy where the ReLU let y pass.
  memory AddMask(OneDnnSequence& calls, const Tensor& y,
                 const Tensor& dy) const {
    const memory gradient = Rows(calls, dy);
    if (!work_.relu) return gradient;
    const memory masked = calls.New(y_);
    calls.AddReluMask(Rows(calls, y), gradient, masked);
    return masked;
  }
  void AddKernelGradient(OneDnnSequence& calls, const DenseInputs& in,
                         const memory& dy, const Tensor& dkernel,
                         const Tensor& dbias) const {
    const auto desc = DescribeGradient<dnnl::inner_product_backward_weights>(
        {}, forward_, x_, kernel_, bias_, y_);
    const memory gradient = Kernel(calls, dkernel);
    const memory made = calls.For(gradient, desc.diff_weights_desc());
    calls.Add(
        dnnl::inner_product_backward_weights(desc),
        {{DNNL_ARG_SRC, Rows(calls, in.x)},
         {DNNL_ARG_DIFF_DST, dy},
         {DNNL_ARG_DIFF_WEIGHTS, made},
         {DNNL_ARG_DIFF_BIAS, calls.Wrap(dbias, {work_.outputs}, Tag::a)}});
    calls.Deliver(made, gradient);
  }
  void AddDataGradient(OneDnnSequence& calls, const DenseInputs& in,
                       const memory& dy, const Tensor& dx) const {
    const auto desc = DescribeGradient<dnnl::inner_product_backward_data>(
        {}, forward_, x_, kernel_, y_);
    calls.Add(dnnl::inner_product_backward_data(desc),
              {{DNNL_ARG_DIFF_DST, dy},
               {DNNL_ARG_WEIGHTS,
                calls.As(Kernel(calls, in.kernel), desc.weights_desc())},
               {DNNL_ARG_DIFF_SRC, Rows(calls, dx)}});
  }

 private:
  static constexpr auto kFloat = memory::data_type::f32;

  static memory Rows(OneDnnSequence& calls, const Tensor& matrix) {
    return calls.Wrap(matrix, {matrix.dim(0), matrix.dim(1)}, Tag::ab);
  }
  // [inputs, outputs], which oneDNN calls the transpose.
  static memory Kernel(OneDnnSequence& calls, const Tensor& matrix) {
    return calls.Wrap(matrix, {matrix.dim(1), matrix.dim(0)}, Tag::ba);
  }

  DenseWork work_;
  memory::desc x_, kernel_, bias_, y_;
  dnnl::inner_product_forward::primitive_desc forward_;
};

KernelRuns DenseForward(const DenseWork& work) {
  const DenseInputs in(work);
  const Tensor y = EmptyOnHost(in.dy.shape());
  const auto calls = std::make_shared<OneDnnSequence>();
  OneDnnDense(work).AddForward(*calls, in, y);
  return {
      [=] {
        return std::vector{kernels::Dense(in.x, in.kernel, in.bias, work.relu)};
      },
      OneDnnRun(calls, {y})};
}

KernelRuns DenseBackward(const DenseWork& work) {
  const DenseInputs in(work);
  const Tensor y = kernels::Dense(in.x, in.kernel, in.bias, work.relu);
  const Tensor dkernel = EmptyOnHost(in.kernel.shape());
  const Tensor dbias = EmptyOnHost(in.bias.shape());
  const Tensor dx = EmptyOnHost(in.x.shape());
  const auto calls = std::make_shared<OneDnnSequence>();
  const OneDnnDense dense(work);
  const memory dy = dense.AddMask(*calls, y, in.dy);
  dense.AddKernelGradient(*calls, in, dy, dkernel, dbias);
  dense.AddDataGradient(*calls, in, dy, dx);
  return {[=] {
            const auto gradients = kernels::DenseBackward(
                in.x, in.kernel, y, in.dy, work.relu, /*need_x=*/true);
            return std::vector{gradients.kernel, gradients.bias, gradients.x};
          },
          OneDnnRun(calls, {dkernel, dbias, dx})};
}

// A round of Winograd's algorithm in the CNN's second layer: 16 products.
struct Products {
  using Planes = kernels_internal::WinogradPlanes;
  static constexpr int64_t kRows = 48, kInputs = 32, kOutputs = 64;

  static Planes Over(const Tensor& tensor, int64_t rows, int64_t channels) {
    return {const_cast<float*>(tensor.data<float>()), rows, channels};
  }
  static Tensor Make(int64_t rows, int64_t channels, uint32_t seed) {
    return WholeNumbers(Shape{Planes{nullptr, rows, channels}.size()}, seed);
  }

  void Own() const {
    kernels_internal::WinogradMultiply(Over(a, kRows, kInputs),
                                       Over(b, kInputs, kOutputs), kRows,
                                       kInputs, Over(own, kRows, kOutputs));
  }
  void OneDnn() const {
    const Planes left = Over(a, kRows, kInputs);
    const Planes right = Over(b, kInputs, kOutputs);
    const Planes out = Over(onednn, kRows, kOutputs);
    for (int64_t i = 0; i < kernels_internal::kWinogradPositions; ++i) {
      dnnl_sgemm('N', 'N', kRows, kOutputs, kInputs, 1.0f,
                 left.data + i * left.plane(), kInputs,
                 right.data + i * right.plane(), kOutputs, 0.0f,
                 out.data + i * out.plane(), kOutputs);
    }
  }

  Tensor a = Make(kRows, kInputs, 1), b = Make(kInputs, kOutputs, 2);
  Tensor own = Make(kRows, kOutputs, 3), onednn = Make(kRows, kOutputs, 3);
};

KernelRuns WinogradProducts() {
  const Products products;
  return {[=] {
            products.Own();
            return std::vector{products.own};
          },
          [=] {
            products.OneDnn();
            return std::vector{products.onednn};
          }};
}

}  // namespace

std::vector<KernelPair> LinearPairs() {
  std::vector<KernelPair> pairs;
  const auto dense = [&](const DenseWork& work) {
    const auto name = [&](const char* pass) {
      return EntryName("Dense")
          .With("pass", pass)
          .With("x", fmt::format("{}x{}", work.rows, work.inputs))
          .With("outputs", work.outputs)
          .str();
    };
    pairs.push_back({name("forward"), [=] { return DenseForward(work); }});
    pairs.push_back({name("backward"), [=] { return DenseBackward(work); }});
  };
  dense({.rows = 64, .inputs = 1600, .outputs = 64, .relu = true});
  dense({.rows = 64, .inputs = 64, .outputs = 10, .relu = false});
  dense({.rows = 8, .inputs = 2048, .outputs = 1000, .relu = false});
  pairs.push_back({"WinogradMultiply/x:16x48x32/outputs:64", WinogradProducts});
  return pairs;
}

}  // namespace lockstep::benchmarks
