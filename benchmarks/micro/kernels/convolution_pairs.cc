// Pairs for Conv2D, and for Conv2DReluMaxPool2D, which fuses convolution, ReLU
// and max pooling. Conv2D runs oneDNN on a few images at a time; the fused
// kernel uses its own Winograd or shallow algorithm where one fits, else oneDNN
// the same way.
#include <cstdint>
#include <dnnl.hpp>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/micro/kernels/kernel_pair.h"
#include "benchmarks/micro/kernels/onednn_sequence.h"
#include "reference/kernels/convolution/conv2d.h"
#include "reference/kernels/convolution/conv2d_relu_max_pool2d.h"
#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/tensor/dtype.h"
#include "reference/tensor/host_tensor.h"
#include "reference/tensor/shape.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {
namespace {

using dnnl::memory;
using kernels_internal::DescribeGradient;
using kernels_internal::DescribePrimitive;
using kernels_internal::OneDnnPooling;
using kernels_internal::OneDnnPoolingGradient;
using Tag = memory::format_tag;

// The images' layout in oneDNN: ours, or the one the primitive prefers (copied
// to and from in each run).
enum class Layout { kNhwc, kAny };

// A stride-1 convolution of square images; if pooled, followed by ReLU and
// 2 x 2 max pooling.
struct ConvolutionCase {
  Shape x;
  int64_t output_channels;
  int64_t kernel_size;
  bool pooled;  // fused with ReLU and pooling, padding VALID; else SAME
  Layout layout;
  DType dtype;
  bool need_x;

  // REQUIRES: an odd kernel size.
  int64_t Padding() const { return pooled ? 0 : kernel_size / 2; }
  int64_t ConvolvedSize() const {
    return x[1] + 2 * Padding() - kernel_size + 1;
  }
  Shape ConvolvedShape() const {
    return Shape{x[0], ConvolvedSize(), ConvolvedSize(), output_channels};
  }
  Shape YShape() const {
    const int64_t size = ConvolvedSize() / 2;
    return pooled ? Shape{x[0], size, size, output_channels} : ConvolvedShape();
  }
  Shape FilterShape() const {
    return Shape{kernel_size, kernel_size, x[3], output_channels};
  }
  // In oneDNN's order.
  memory::dims FilterDims() const {
    return {output_channels, x[3], kernel_size, kernel_size};
  }
};

struct Inputs {
  explicit Inputs(const ConvolutionCase& c)
      : x(WholeNumbers(c.x, 1, c.dtype)),
        filter(WholeNumbers(c.FilterShape(), 2, c.dtype)),
        bias(WholeNumbers(Shape{c.output_channels}, 3, c.dtype)),
        dy(WholeNumbers(c.YShape(), 4, c.dtype)) {}

  Tensor x, filter, bias, dy;
};

// Descriptors of oneDNN's primitives. Filters use the layout oneDNN prefers;
// images do so only with Layout::kAny.
class PrimitiveDescriptors {
 public:
  explicit PrimitiveDescriptors(const ConvolutionCase& c)
      : case_(c),
        type_(kernels_internal::OneDnnType(c.dtype)),
        image_(c.layout == Layout::kAny ? Tag::any : Tag::nhwc),
        x_(ImageDims(c.x), type_, image_),
        filter_(c.FilterDims(), type_, Tag::any),
        bias_({c.output_channels}, type_, Tag::a),
        y_(ImageDims(c.ConvolvedShape()), type_, image_),
        padding_(Both(c.Padding())) {}

  dnnl::convolution_forward::primitive_desc Forward() const {
    return DescribePrimitive<dnnl::convolution_forward>(
        case_.pooled ? OneDnnSequence::WithRelu() : dnnl::primitive_attr(),
        dnnl::prop_kind::forward_training, kDirect, x_, filter_, bias_, y_,
        Both(1), padding_, padding_);
  }
  dnnl::convolution_backward_weights::primitive_desc BackwardWeights(
      const dnnl::convolution_forward::primitive_desc& forward) const {
    return DescribeGradient<dnnl::convolution_backward_weights>(
        {}, forward, kDirect, x_, filter_, bias_, y_, Both(1), padding_,
        padding_);
  }
  dnnl::convolution_backward_data::primitive_desc BackwardData(
      const dnnl::convolution_forward::primitive_desc& forward) const {
    return DescribeGradient<dnnl::convolution_backward_data>(
        {}, forward, kDirect, x_, filter_, y_, Both(1), padding_, padding_);
  }
  OneDnnPooling::primitive_desc Pool(const memory::desc& x) const {
    return DescribePrimitive<OneDnnPooling>(
        {}, dnnl::prop_kind::forward_training, dnnl::algorithm::pooling_max, x,
        Pooled(), Both(2), Both(2), Both(0), Both(0), Both(0));
  }
  OneDnnPoolingGradient::primitive_desc BackwardPool(
      const memory::desc& x,
      const OneDnnPooling::primitive_desc& forward) const {
    return DescribeGradient<OneDnnPoolingGradient>(
        {}, forward, dnnl::algorithm::pooling_max, x, Pooled(), Both(2),
        Both(2), Both(0), Both(0), Both(0));
  }

 private:
  static constexpr auto kDirect = dnnl::algorithm::convolution_direct;

  // Of rows and columns.
  static memory::dims Both(int64_t size) { return {size, size}; }

  memory::desc Pooled() const {
    return {ImageDims(case_.YShape()), type_, Tag::any};
  }

  ConvolutionCase case_;
  memory::data_type type_;
  Tag image_;
  memory::desc x_, filter_, bias_, y_;
  memory::dims padding_;
};

// oneDNN's forward pass. Run sequence.Run() to fill y and, if pooled, the
// pooling workspace; Backward uses both.
struct Forward {
  Forward(const ConvolutionCase& c, const Inputs& in)
      : descriptors(c), convolution(descriptors.Forward()) {
    const memory x = sequence.Wrap(in.x, ImageDims(c.x), Tag::nhwc);
    const memory filter = sequence.Wrap(in.filter, c.FilterDims(), Tag::hwio);
    const memory bias = sequence.Wrap(in.bias, {c.output_channels}, Tag::a);
    y = EmptyOnHost(c.YShape(), c.dtype);
    const memory out = sequence.Wrap(y, ImageDims(c.YShape()), Tag::nhwc);
    const memory convolved = c.pooled
                                 ? sequence.New(convolution.dst_desc())
                                 : sequence.For(out, convolution.dst_desc());
    sequence.Add(
        dnnl::convolution_forward(convolution),
        {{DNNL_ARG_SRC, sequence.As(x, convolution.src_desc())},
         {DNNL_ARG_WEIGHTS, sequence.As(filter, convolution.weights_desc())},
         {DNNL_ARG_BIAS, bias},
         {DNNL_ARG_DST, convolved}});
    if (!c.pooled) {
      sequence.Deliver(convolved, out);
      return;
    }
    pool = descriptors.Pool(convolution.dst_desc());
    pool_workspace = sequence.New(pool.workspace_desc());
    const memory pooled = sequence.For(out, pool.dst_desc());
    sequence.Add(OneDnnPooling(pool), {{DNNL_ARG_SRC, convolved},
                                       {DNNL_ARG_DST, pooled},
                                       {DNNL_ARG_WORKSPACE, pool_workspace}});
    sequence.Deliver(pooled, out);
  }

  OneDnnSequence sequence;
  PrimitiveDescriptors descriptors;
  dnnl::convolution_forward::primitive_desc convolution;
  OneDnnPooling::primitive_desc pool;
  memory pool_workspace;
  Tensor y;
};

// oneDNN's backward pass. If pooled, the ReLU's mask is applied to the pooled
// gradient, which has a quarter of the elements: a window's maximum is positive
// exactly if the pooled y is.
class Backward {
 public:
  Backward(const ConvolutionCase& c, const Inputs& in) : forward_(c, in) {
    // Fills y and the pooling workspace, which Run reads.
    forward_.sequence.Run();
    const PrimitiveDescriptors& descriptors = forward_.descriptors;
    const auto weights = descriptors.BackwardWeights(forward_.convolution);
    const memory dy =
        c.pooled ? AddUnpooling(c, in, weights.diff_dst_desc())
                 : sequence_.As(
                       sequence_.Wrap(in.dy, ImageDims(c.YShape()), Tag::nhwc),
                       weights.diff_dst_desc());
    AddFilterGradient(c, in, dy, weights);
    if (c.need_x) AddDataGradient(c, in, dy);
  }

  std::vector<Tensor> Run() const {
    sequence_.Run();
    return results_;
  }

 private:
  memory AddUnpooling(const ConvolutionCase& c, const Inputs& in,
                      const memory::desc& wanted) {
    const memory::dims dims = ImageDims(c.YShape());
    const memory y = sequence_.Wrap(forward_.y, dims, Tag::nhwc);
    const memory dy = sequence_.Wrap(in.dy, dims, Tag::nhwc);
    const memory masked = sequence_.New(dy.get_desc());
    sequence_.AddReluMask(y, dy, masked);
    const auto backward_pool = forward_.descriptors.BackwardPool(
        forward_.convolution.dst_desc(), forward_.pool);
    const memory dx = sequence_.New(backward_pool.diff_src_desc());
    sequence_.Add(OneDnnPoolingGradient(backward_pool),
                  {{DNNL_ARG_DIFF_DST,
                    sequence_.As(masked, backward_pool.diff_dst_desc())},
                   {DNNL_ARG_WORKSPACE, forward_.pool_workspace},
                   {DNNL_ARG_DIFF_SRC, dx}});
    return sequence_.As(dx, wanted);
  }

  void AddFilterGradient(
      const ConvolutionCase& c, const Inputs& in, const memory& dy,
      const dnnl::convolution_backward_weights::primitive_desc& weights) {
    const Tensor dfilter = EmptyOnHost(c.FilterShape(), c.dtype);
    const Tensor dbias = EmptyOnHost(Shape{c.output_channels}, c.dtype);
    const memory filter = sequence_.Wrap(dfilter, c.FilterDims(), Tag::hwio);
    const memory dfilter_out =
        sequence_.For(filter, weights.diff_weights_desc());
    const memory x = sequence_.Wrap(in.x, ImageDims(c.x), Tag::nhwc);
    sequence_.Add(dnnl::convolution_backward_weights(weights),
                  {{DNNL_ARG_SRC, sequence_.As(x, weights.src_desc())},
                   {DNNL_ARG_DIFF_DST, dy},
                   {DNNL_ARG_DIFF_WEIGHTS, dfilter_out},
                   {DNNL_ARG_DIFF_BIAS,
                    sequence_.Wrap(dbias, {c.output_channels}, Tag::a)}});
    sequence_.Deliver(dfilter_out, filter);
    results_ = {dfilter, dbias};
  }

  void AddDataGradient(const ConvolutionCase& c, const Inputs& in,
                       const memory& dy) {
    const auto data = forward_.descriptors.BackwardData(forward_.convolution);
    const memory filter = sequence_.Wrap(in.filter, c.FilterDims(), Tag::hwio);
    const Tensor dx = EmptyOnHost(c.x, c.dtype);
    const memory out = sequence_.Wrap(dx, ImageDims(c.x), Tag::nhwc);
    const memory dx_out = sequence_.For(out, data.diff_src_desc());
    sequence_.Add(
        dnnl::convolution_backward_data(data),
        {{DNNL_ARG_DIFF_DST, sequence_.As(dy, data.diff_dst_desc())},
         {DNNL_ARG_WEIGHTS, sequence_.As(filter, data.weights_desc())},
         {DNNL_ARG_DIFF_SRC, dx_out}});
    sequence_.Deliver(dx_out, out);
    results_.push_back(dx);
  }

  OneDnnSequence sequence_;
  Forward forward_;
  std::vector<Tensor> results_;
};

std::vector<Tensor> ToList(const kernels::Conv2DGradients& gradients) {
  std::vector<Tensor> list{gradients.filter, gradients.bias};
  if (gradients.x.defined()) list.push_back(gradients.x);
  return list;
}

KernelRun OwnForward(const ConvolutionCase& c, const Inputs& in) {
  if (c.pooled) {
    return [in] {
      return std::vector{
          kernels::Conv2DReluMaxPool2D(in.x, in.filter, in.bias, {}).y};
    };
  }
  return [in] {
    return std::vector{kernels::Conv2D(in.x, in.filter, in.bias,
                                       {.padding = kernels::Padding::kSame})};
  };
}

KernelRun OwnBackward(const ConvolutionCase& c, const Inputs& in) {
  if (c.pooled) {
    const Tensor selection =
        kernels::Conv2DReluMaxPool2D(in.x, in.filter, in.bias, {}).selection;
    return [=, need_x = c.need_x] {
      return ToList(kernels::Conv2DReluMaxPool2DBackward(
          in.x, in.filter, selection, in.dy, {}, need_x));
    };
  }
  return [=, need_x = c.need_x] {
    return ToList(kernels::Conv2DBackward(in.x, in.filter, {}, in.dy,
                                          {.padding = kernels::Padding::kSame},
                                          need_x));
  };
}

KernelRuns MakeForward(const ConvolutionCase& c) {
  const Inputs in(c);
  KernelRuns runs{OwnForward(c, in), {}};
  if (!OneDnnSequence::Computes(c.dtype)) return runs;
  const auto onednn = std::make_shared<Forward>(c, in);
  runs.onednn = [onednn] {
    onednn->sequence.Run();
    return std::vector{onednn->y};
  };
  return runs;
}

KernelRuns MakeBackward(const ConvolutionCase& c) {
  const Inputs in(c);
  KernelRuns runs{OwnBackward(c, in), {}};
  if (!OneDnnSequence::Computes(c.dtype)) return runs;
  const auto onednn = std::make_shared<Backward>(c, in);
  runs.onednn = [onednn] { return onednn->Run(); };
  return runs;
}

std::string NameOf(const ConvolutionCase& c, const char* pass) {
  return EntryName(c.pooled ? "Conv2DReluMaxPool2D" : "Conv2D")
      .With("pass", pass)
      .With("x", DimsOf(c.x))
      .With("filter", DimsOf(c.FilterShape()))
      .With("dtype", DTypeName(c.dtype))
      .With("layout", c.layout == Layout::kAny ? "any" : "nhwc")
      .str();
}

}  // namespace

std::vector<KernelPair> ConvolutionPairs() {
  struct Layer {
    Shape x;
    int64_t output_channels;
    int64_t kernel_size;
    bool pooled = false;
    bool need_x = true;
    std::vector<DType> dtypes;
  };
  const std::vector<DType> float_types{DType::kFloat32, DType::kBFloat16};
  const std::vector<DType> float32{DType::kFloat32};
  const Layer layers[] = {
      {.x = Shape{64, 28, 28, 1},
       .output_channels = 32,
       .kernel_size = 3,
       .pooled = true,
       .need_x = false,
       .dtypes = float_types},
      {.x = Shape{64, 13, 13, 32},
       .output_channels = 64,
       .kernel_size = 3,
       .pooled = true,
       .dtypes = float_types},
      {.x = Shape{8, 16, 16, 64},
       .output_channels = 64,
       .kernel_size = 3,
       .dtypes = float32},
      {.x = Shape{8, 16, 16, 64},
       .output_channels = 256,
       .kernel_size = 1,
       .dtypes = float32},
      {.x = Shape{8, 2, 2, 512},
       .output_channels = 512,
       .kernel_size = 3,
       .dtypes = float32},
  };
  std::vector<KernelPair> pairs;
  for (const Layer& layer : layers) {
    for (const DType dtype : layer.dtypes) {
      for (const Layout layout : {Layout::kNhwc, Layout::kAny}) {
        const ConvolutionCase c{.x = layer.x,
                                .output_channels = layer.output_channels,
                                .kernel_size = layer.kernel_size,
                                .pooled = layer.pooled,
                                .layout = layout,
                                .dtype = dtype,
                                .need_x = layer.need_x};
        pairs.push_back({NameOf(c, "forward"), [c] { return MakeForward(c); }});
        pairs.push_back(
            {NameOf(c, "backward"), [c] { return MakeBackward(c); }});
      }
    }
  }
  return pairs;
}

}  // namespace lockstep::benchmarks
