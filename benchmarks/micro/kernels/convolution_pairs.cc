// Convolutions: those that run as one with a ReLU and a max pooling, whose
// algorithms are ours, and others, which oneDNN computes for us a few images
// at a time.
#include <memory>

#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/micro/kernels/kernel_pair.h"
#include "benchmarks/micro/kernels/onednn_sequence.h"
#include "reference/kernels/convolution/conv2d.h"
#include "reference/kernels/convolution/conv2d_relu_max_pool2d.h"
#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

enum class Layout { kNhwc, kAny };

// A convolution of square images, and where it is fused 2 x 2 pooling.
struct Work {
  Shape x;
  int64_t outputs, window;
  bool pooled;  // no padding; else SAME
  Layout layout;
  DType dtype;
  bool need_x;

  int64_t padding() const { return pooled ? 0 : window / 2; }
  int64_t size() const { return x[1] + 2 * padding() - window + 1; }
  Shape Convolved() const { return Shape{x[0], size(), size(), outputs}; }
  Shape Y() const {
    return pooled ? Shape{x[0], size() / 2, size() / 2, outputs} : Convolved();
  }
  Shape Filter() const { return Shape{window, window, x[3], outputs}; }
  // In oneDNN's order.
  memory::dims FilterDims() const { return {outputs, x[3], window, window}; }
};

struct Inputs {
  explicit Inputs(const Work& work)
      : x(WholeNumbers(work.x, 1, work.dtype)),
        filter(WholeNumbers(work.Filter(), 2, work.dtype)),
        bias(WholeNumbers(Shape{work.outputs}, 3, work.dtype)),
        dy(WholeNumbers(work.Y(), 4, work.dtype)) {}

  Tensor x, filter, bias, dy;
};

// oneDNN's primitives for a work, in the layouts that it prefers.
class Descriptions {
 public:
  explicit Descriptions(const Work& w)
      : work_(w),
        type_(kernels_internal::OneDnnType(w.dtype)),
        image_(w.layout == Layout::kAny ? Tag::any : Tag::nhwc),
        x_(ImageDims(w.x), type_, image_),
        filter_(w.FilterDims(), type_, Tag::any),
        bias_({w.outputs}, type_, Tag::a),
        y_(ImageDims(w.Convolved()), type_, image_),
        padding_{w.padding(), w.padding()} {}

  dnnl::convolution_forward::primitive_desc Forward() const {
    return {{dnnl::prop_kind::forward_training, kDirect, x_, filter_, bias_, y_,
             kOne, padding_, padding_},
            work_.pooled ? OneDnnSequence::WithRelu() : dnnl::primitive_attr(),
            OneDnnSequence::Engine()};
  }
  dnnl::convolution_backward_weights::primitive_desc Weights(
      const dnnl::convolution_forward::primitive_desc& forward) const {
    return {{kDirect, x_, filter_, bias_, y_, kOne, padding_, padding_},
            OneDnnSequence::Engine(),
            forward};
  }
  dnnl::convolution_backward_data::primitive_desc Data(
      const dnnl::convolution_forward::primitive_desc& forward) const {
    return {{kDirect, x_, filter_, y_, kOne, padding_, padding_},
            OneDnnSequence::Engine(),
            forward};
  }
  dnnl::pooling_forward::primitive_desc Pool(const memory::desc& x) const {
    return {{dnnl::prop_kind::forward_training, dnnl::algorithm::pooling_max, x,
             Pooled(), kTwo, kTwo, kZero, kZero},
            OneDnnSequence::Engine()};
  }
  dnnl::pooling_backward::primitive_desc Unpool(
      const memory::desc& x,
      const dnnl::pooling_forward::primitive_desc& forward) const {
    return {
        {dnnl::algorithm::pooling_max, x, Pooled(), kTwo, kTwo, kZero, kZero},
        OneDnnSequence::Engine(),
        forward};
  }

 private:
  static constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  inline static const memory::dims kZero{0, 0}, kOne{1, 1}, kTwo{2, 2};

  memory::desc Pooled() const {
    return {ImageDims(work_.Y()), type_, Tag::any};
  }

  Work work_;
  memory::data_type type_;
  Tag image_;
  memory::desc x_, filter_, bias_, y_;
  memory::dims padding_;
};

// The forward pass: y, and what the gradient needs.
struct Forward {
  Forward(const Work& work, const Inputs& in)
      : descriptions(work), convolution(descriptions.Forward()) {
    const memory x = calls.Wrap(in.x, ImageDims(work.x), Tag::nhwc);
    const memory filter = calls.Wrap(in.filter, work.FilterDims(), Tag::hwio);
    const memory bias = calls.Wrap(in.bias, {work.outputs}, Tag::a);
    y = EmptyOnHost(work.Y(), work.dtype);
    const memory out = calls.Wrap(y, ImageDims(work.Y()), Tag::nhwc);
    const memory made = work.pooled ? calls.New(convolution.dst_desc())
                                    : calls.For(out, convolution.dst_desc());
    calls.Add(dnnl::convolution_forward(convolution),
              {{DNNL_ARG_SRC, calls.As(x, convolution.src_desc())},
               {DNNL_ARG_WEIGHTS, calls.As(filter, convolution.weights_desc())},
               {DNNL_ARG_BIAS, bias},
               {DNNL_ARG_DST, made}});
    if (!work.pooled) {
      calls.Deliver(made, out);
      return;
    }
    pool = descriptions.Pool(convolution.dst_desc());
    winners = calls.New(pool.workspace_desc());
    const memory pooled = calls.For(out, pool.dst_desc());
    calls.Add(dnnl::pooling_forward(pool), {{DNNL_ARG_SRC, made},
                                            {DNNL_ARG_DST, pooled},
                                            {DNNL_ARG_WORKSPACE, winners}});
    calls.Deliver(pooled, out);
  }

  OneDnnSequence calls;
  Descriptions descriptions;
  dnnl::convolution_forward::primitive_desc convolution;
  dnnl::pooling_forward::primitive_desc pool;
  memory winners;
  Tensor y;
};

// The ReLU's mask is that of the pooled y, a quarter of the convolution's.
class Backward {
 public:
  Backward(const Work& work, const Inputs& in) : forward_(work, in) {
    forward_.calls.Run();
    const Descriptions& descriptions = forward_.descriptions;
    const auto weights = descriptions.Weights(forward_.convolution);
    const memory dy =
        work.pooled
            ? Unpooled(work, in, weights.diff_dst_desc())
            : calls_.As(calls_.Wrap(in.dy, ImageDims(work.Y()), Tag::nhwc),
                        weights.diff_dst_desc());
    AddFilterGradient(work, in, dy, weights);
    if (work.need_x) AddDataGradient(work, in, dy);
  }

  std::vector<Tensor> Run() const {
    calls_.Run();
    return results_;
  }

 private:
  memory Unpooled(const Work& work, const Inputs& in,
                  const memory::desc& wanted) {
    const memory::dims dims = ImageDims(work.Y());
    const memory y = calls_.Wrap(forward_.y, dims, Tag::nhwc);
    const memory dy = calls_.Wrap(in.dy, dims, Tag::nhwc);
    const memory masked = calls_.New(dy.get_desc());
    calls_.AddReluMask(y, dy, masked);
    const auto unpool = forward_.descriptions.Unpool(
        forward_.convolution.dst_desc(), forward_.pool);
    const memory dx = calls_.New(unpool.diff_src_desc());
    calls_.Add(dnnl::pooling_backward(unpool),
               {{DNNL_ARG_DIFF_DST, calls_.As(masked, unpool.diff_dst_desc())},
                {DNNL_ARG_WORKSPACE, forward_.winners},
                {DNNL_ARG_DIFF_SRC, dx}});
    return calls_.As(dx, wanted);
  }

  void AddFilterGradient(
      const Work& work, const Inputs& in, const memory& dy,
      const dnnl::convolution_backward_weights::primitive_desc& weights) {
    const Tensor dfilter = EmptyOnHost(work.Filter(), work.dtype);
    const Tensor dbias = EmptyOnHost(Shape{work.outputs}, work.dtype);
    const memory filter = calls_.Wrap(dfilter, work.FilterDims(), Tag::hwio);
    const memory made = calls_.For(filter, weights.diff_weights_desc());
    const memory x = calls_.Wrap(in.x, ImageDims(work.x), Tag::nhwc);
    calls_.Add(
        dnnl::convolution_backward_weights(weights),
        {{DNNL_ARG_SRC, calls_.As(x, weights.src_desc())},
         {DNNL_ARG_DIFF_DST, dy},
         {DNNL_ARG_DIFF_WEIGHTS, made},
         {DNNL_ARG_DIFF_BIAS, calls_.Wrap(dbias, {work.outputs}, Tag::a)}});
    calls_.Deliver(made, filter);
    results_ = {dfilter, dbias};
  }

  void AddDataGradient(const Work& work, const Inputs& in, const memory& dy) {
    const auto data = forward_.descriptions.Data(forward_.convolution);
    const memory filter = calls_.Wrap(in.filter, work.FilterDims(), Tag::hwio);
    const Tensor dx = EmptyOnHost(work.x, work.dtype);
    const memory out = calls_.Wrap(dx, ImageDims(work.x), Tag::nhwc);
    const memory made = calls_.For(out, data.diff_src_desc());
    calls_.Add(dnnl::convolution_backward_data(data),
               {{DNNL_ARG_DIFF_DST, calls_.As(dy, data.diff_dst_desc())},
                {DNNL_ARG_WEIGHTS, calls_.As(filter, data.weights_desc())},
                {DNNL_ARG_DIFF_SRC, made}});
    calls_.Deliver(made, out);
    results_.push_back(dx);
  }

  OneDnnSequence calls_;
  Forward forward_;
  std::vector<Tensor> results_;
};

std::vector<Tensor> Listed(const kernels::Conv2DGradients& gradients) {
  std::vector<Tensor> list{gradients.filter, gradients.bias};
  if (gradients.x.defined()) list.push_back(gradients.x);
  return list;
}

KernelRun OwnForward(const Work& work, const Inputs& in) {
  if (work.pooled) {
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

KernelRun OwnBackward(const Work& work, const Inputs& in) {
  if (work.pooled) {
    const Tensor selection =
        kernels::Conv2DReluMaxPool2D(in.x, in.filter, in.bias, {}).selection;
    return [=, need_x = work.need_x] {
      return Listed(kernels::Conv2DReluMaxPool2DBackward(
          in.x, in.filter, selection, in.dy, {}, need_x));
    };
  }
  return [=, need_x = work.need_x] {
    return Listed(kernels::Conv2DBackward(in.x, in.filter, {}, in.dy,
                                          {.padding = kernels::Padding::kSame},
                                          need_x));
  };
}

KernelRuns MakeForward(const Work& work) {
  const Inputs in(work);
  KernelRuns runs{OwnForward(work, in), {}};
  if (!OneDnnSequence::Computes(work.dtype)) return runs;
  const auto onednn = std::make_shared<Forward>(work, in);
  runs.onednn = [onednn] {
    onednn->calls.Run();
    return std::vector{onednn->y};
  };
  return runs;
}

KernelRuns MakeBackward(const Work& work) {
  const Inputs in(work);
  KernelRuns runs{OwnBackward(work, in), {}};
  if (!OneDnnSequence::Computes(work.dtype)) return runs;
  const auto onednn = std::make_shared<Backward>(work, in);
  runs.onednn = [onednn] { return onednn->Run(); };
  return runs;
}

std::string NameOf(const Work& work, const char* pass) {
  return EntryName(work.pooled ? "Conv2DReluMaxPool2D" : "Conv2D")
      .With("pass", pass)
      .With("x", DimsOf(work.x))
      .With("filter", DimsOf(work.Filter()))
      .With("dtype", DTypeName(work.dtype))
      .With("layout", work.layout == Layout::kAny ? "any" : "nhwc")
      .str();
}

}  // namespace

std::vector<KernelPair> ConvolutionPairs() {
  struct Layer {
    Shape x;
    int64_t outputs, window;
    bool pooled, need_x;
    std::vector<DType> dtypes;
  };
  const std::vector<DType> both{DType::kFloat32, DType::kBFloat16};
  const Layer layers[] = {
      {Shape{64, 28, 28, 1}, 32, 3, true, false, both},
      {Shape{64, 13, 13, 32}, 64, 3, true, true, both},
      {Shape{8, 16, 16, 64}, 64, 3, false, true, {DType::kFloat32}},
      {Shape{8, 16, 16, 64}, 256, 1, false, true, {DType::kFloat32}},
      {Shape{8, 2, 2, 512}, 512, 3, false, true, {DType::kFloat32}},
  };
  std::vector<KernelPair> pairs;
  for (const Layer& layer : layers) {
    for (const DType dtype : layer.dtypes) {
      for (const Layout layout : {Layout::kNhwc, Layout::kAny}) {
        const Work work{layer.x, layer.outputs, layer.window, layer.pooled,
                        layout,  dtype,         layer.need_x};
        pairs.push_back(
            {NameOf(work, "forward"), [work] { return MakeForward(work); }});
        pairs.push_back(
            {NameOf(work, "backward"), [work] { return MakeBackward(work); }});
      }
    }
  }
  return pairs;
}

}  // namespace lockstep::benchmarks
