// Max pooling that is not fused.
#include <memory>

#include "benchmarks/micro/kernels/kernel_pair.h"
#include "benchmarks/micro/kernels/onednn_sequence.h"
#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/kernels/pooling/pool2d.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

using dnnl::memory;
using kernels::Pool2DOptions;
using kernels_internal::DescribeGradient;
using kernels_internal::DescribePrimitive;
using kernels_internal::OneDnnPooling;
using kernels_internal::OneDnnPoolingGradient;
using Tag = memory::format_tag;

constexpr auto kMaximum = dnnl::algorithm::pooling_max;

// Forward to y, and backward from dy to dx.
struct OneDnnMaxPool {
  OneDnnMaxPool(const Tensor& in, const Shape& y_shape,
                const Pool2DOptions& options)
      : x(in),
        y(EmptyOnHost(y_shape)),
        dy(WholeNumbers(y_shape, 2)),
        dx(EmptyOnHost(x.shape())) {
    const memory from = Wrap(forward, x), to = Wrap(forward, y);
    const memory::dims window{options.pool[0], options.pool[1]};
    const memory::dims strides{options.strides[0], options.strides[1]};
    const memory::dims none{0, 0};
    const auto pool = DescribePrimitive<OneDnnPooling>(
        {}, dnnl::prop_kind::forward_training, kMaximum, from.get_desc(),
        to.get_desc(), strides, window, none, none, none);
    const auto unpool = DescribeGradient<OneDnnPoolingGradient>(
        {}, pool, kMaximum, from.get_desc(), to.get_desc(), strides, window,
        none, none, none);
    const memory winners = forward.New(pool.workspace_desc());
    forward.Add(OneDnnPooling(pool), {{DNNL_ARG_SRC, from},
                                      {DNNL_ARG_DST, to},
                                      {DNNL_ARG_WORKSPACE, winners}});
    backward.Add(OneDnnPoolingGradient(unpool),
                 {{DNNL_ARG_DIFF_DST, Wrap(backward, dy)},
                  {DNNL_ARG_WORKSPACE, winners},
                  {DNNL_ARG_DIFF_SRC, Wrap(backward, dx)}});
  }

  static memory Wrap(OneDnnSequence& calls, const Tensor& images) {
    return calls.Wrap(images, ImageDims(images.shape()), Tag::nhwc);
  }

  OneDnnSequence forward, backward;
  Tensor x, y, dy, dx;
};

KernelRuns MaxPoolRuns(const Shape& shape, const Pool2DOptions& options,
                       bool backward) {
  const Tensor x = WholeNumbers(shape, 1);
  const auto pooled = kernels::MaxPool2D(x, options);
  const auto onednn =
      std::make_shared<OneDnnMaxPool>(x, pooled.y.shape(), options);
  if (!backward) {
    return {[=] { return std::vector{kernels::MaxPool2D(x, options).y}; },
            [=] {
              onednn->forward.Run();
              return std::vector{onednn->y};
            }};
  }
  onednn->forward.Run();  // for its winners
  return {[=] {
            return std::vector{kernels::MaxPool2DBackward(shape, pooled.argmax,
                                                          onednn->dy, options)};
          },
          [=] {
            onednn->backward.Run();
            return std::vector{onednn->dx};
          }};
}

}  // namespace

std::vector<KernelPair> PoolingPairs() {
  const Shape stem{8, 34, 34, 64};    // ResNet-50's, with a rim of one
  const Shape first{64, 26, 26, 32};  // of the CNN, were it not fused
  const Pool2DOptions three{.pool = {3, 3}, .strides = {2, 2}};
  std::vector<KernelPair> pairs;
  for (const bool backward : {false, true}) {
    const char* pass = backward ? "backward" : "forward";
    pairs.push_back({PairName("MaxPool2D", pass, stem),
                     [=] { return MaxPoolRuns(stem, three, backward); }});
    pairs.push_back({PairName("MaxPool2D", pass, first),
                     [=] { return MaxPoolRuns(first, {}, backward); }});
  }
  return pairs;
}

}  // namespace lockstep::benchmarks
