#include "reference/kernels/convolution/cpu/onednn_convolution.h"

#include <algorithm>
#include <compare>
#include <dnnl.hpp>
#include <vector>

#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/kernels/plan_cache.h"

namespace lockstep::kernels_internal {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

constexpr auto kFloat = memory::data_type::f32;

int64_t Floats(const memory::desc& desc) {
  return static_cast<int64_t>((desc.get_size() + sizeof(float) - 1) /
                              sizeof(float));
}

// Rounds up to a cache line, so that each of several arrays starts one.
int64_t Lines(int64_t floats) { return (floats + 15) / 16 * 16; }

dnnl::reorder::primitive_desc MakeReorder(const memory::desc& from,
                                          const memory::desc& to, bool add) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (add) {
    dnnl::post_ops sum;
    sum.append_sum(1.0f);
    attributes.set_post_ops(sum);
  }
  return {OneDnnEngine(), from, OneDnnEngine(), to, attributes};
}

// The descriptions of one convolution; oneDNN chooses the form of the filters.
struct Descriptions {
  Descriptions(const ConvolutionShape& s, int64_t images, DType y_type)
      : type(OneDnnType(s.dtype)),
        x_dims{images, s.inputs, s.height, s.width},
        y_dims{images, s.outputs, s.rows.count, s.columns.count},
        filter_dims{s.outputs, s.inputs, s.filter_rows, s.filter_columns},
        x(x_dims, type, Tag::nhwc),
        y(y_dims, OneDnnType(y_type), Tag::nhwc),
        dx(x_dims, type, Tag::nhwc),
        dy(y_dims, type, Tag::nhwc),
        any_filter(filter_dims, type, Tag::any),
        any_dfilter(filter_dims, kFloat, Tag::any),
        user_filter(filter_dims, type, Tag::hwio),
        user_dfilter(filter_dims, kFloat, Tag::hwio),
        bias({s.outputs}, kFloat, Tag::a),
        strides{s.strides[0], s.strides[1]},
        before{s.rows.before, s.columns.before},
        after{s.rows.after, s.columns.after} {
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  }

  dnnl::convolution_forward::primitive_desc Forward() const {
    return DescribePrimitive<dnnl::convolution_forward>(
        attributes, dnnl::prop_kind::forward_training,
        dnnl::algorithm::convolution_direct, x, any_filter, bias, y, strides,
        before, after);
  }
  dnnl::convolution_backward_weights::primitive_desc Weights(
      const dnnl::convolution_forward::primitive_desc& forward) const {
    return DescribeGradient<dnnl::convolution_backward_weights>(
        attributes, forward, dnnl::algorithm::convolution_direct, x,
        any_dfilter, bias, dy, strides, before, after);
  }
  dnnl::convolution_backward_data::primitive_desc Data(
      const dnnl::convolution_forward::primitive_desc& forward) const {
    return DescribeGradient<dnnl::convolution_backward_data>(
        attributes, forward, dnnl::algorithm::convolution_direct, dx,
        any_filter, dy, strides, before, after);
  }

  memory::data_type type;  // of the factors
  memory::dims x_dims, y_dims, filter_dims;
  memory::desc x, y, dx, dy;
  memory::desc any_filter, any_dfilter, user_filter, user_dfilter, bias;
  memory::dims strides, before, after;
  dnnl::primitive_attr attributes;
};

}  // namespace

struct OneDnnConvolution::Primitives {
  explicit Primitives(const Descriptions& d)
      : x(d.x),
        y(d.y),
        dx(d.dx),
        dy(d.dy),
        user_filter(d.user_filter),
        user_dfilter(d.user_dfilter),
        bias(d.bias),
        forward_desc(d.Forward()),
        weights_desc(d.Weights(forward_desc)),
        data_desc(d.Data(forward_desc)),
        pack_desc(MakeReorder(user_filter, forward_desc.weights_desc(), false)),
        pack_for_data_desc(
            MakeReorder(user_filter, data_desc.weights_desc(), false)),
        set_desc(
            MakeReorder(weights_desc.diff_weights_desc(), user_dfilter, false)),
        add_desc(
            MakeReorder(weights_desc.diff_weights_desc(), user_dfilter, true)),
        forward(forward_desc),
        weights(weights_desc),
        data(data_desc),
        pack(pack_desc),
        pack_for_data(pack_for_data_desc),
        set(set_desc),
        add(add_desc) {}

  memory::desc x, y, dx, dy, user_filter, user_dfilter, bias;
  dnnl::convolution_forward::primitive_desc forward_desc;
  dnnl::convolution_backward_weights::primitive_desc weights_desc;
  dnnl::convolution_backward_data::primitive_desc data_desc;
  dnnl::reorder::primitive_desc pack_desc, pack_for_data_desc, set_desc,
      add_desc;
  dnnl::convolution_forward forward;
  dnnl::convolution_backward_weights weights;
  dnnl::convolution_backward_data data;
  dnnl::reorder pack, pack_for_data, set, add;
};

OneDnnConvolution::OneDnnConvolution(const ConvolutionShape& shape,
                                     int64_t images, DType y_type)
    : outputs_(shape.outputs) {
  const OneDnnThread single;
  primitives_ =
      std::make_unique<Primitives>(Descriptions(shape, images, y_type));
}

OneDnnConvolution::~OneDnnConvolution() = default;

int64_t OneDnnConvolution::packed_filter_size() const {
  return Lines(Floats(primitives_->forward_desc.weights_desc()));
}

int64_t OneDnnConvolution::packed_for_data_size() const {
  return Lines(Floats(primitives_->data_desc.weights_desc()));
}

int64_t OneDnnConvolution::scratch_size() const {
  const Primitives& p = *primitives_;
  const int64_t gradients =
      Lines(Floats(p.weights_desc.diff_weights_desc())) + Lines(outputs_);
  int64_t own = 0;
  for (const memory::desc& desc :
       {p.forward_desc.scratchpad_desc(), p.weights_desc.scratchpad_desc(),
        p.data_desc.scratchpad_desc(), p.pack_desc.scratchpad_desc(),
        p.pack_for_data_desc.scratchpad_desc(), p.set_desc.scratchpad_desc(),
        p.add_desc.scratchpad_desc()}) {
    own = std::max(own, Floats(desc));
  }
  return gradients + Lines(own);
}

bool OneDnnConvolution::PacksLike(const OneDnnConvolution& other) const {
  const Primitives& a = *primitives_;
  const Primitives& b = *other.primitives_;
  return a.forward_desc.weights_desc() == b.forward_desc.weights_desc() &&
         a.data_desc.weights_desc() == b.data_desc.weights_desc();
}

void OneDnnConvolution::PackFilter(const void* filter, float* packed) const {
  const OneDnnThread single;
  const Primitives& p = *primitives_;
  std::vector<float> scratch(Floats(p.pack_desc.scratchpad_desc()));
  p.pack.execute(
      OneDnnStream(),
      {{DNNL_ARG_FROM, OneDnnMemory(p.user_filter, filter)},
       {DNNL_ARG_TO, OneDnnMemory(p.forward_desc.weights_desc(), packed)},
       {DNNL_ARG_SCRATCHPAD,
        OneDnnMemory(p.pack_desc.scratchpad_desc(), scratch.data())}});
}

void OneDnnConvolution::PackFilterForData(const void* filter,
                                          float* packed) const {
  const OneDnnThread single;
  const Primitives& p = *primitives_;
  std::vector<float> scratch(Floats(p.pack_for_data_desc.scratchpad_desc()));
  p.pack_for_data.execute(
      OneDnnStream(),
      {{DNNL_ARG_FROM, OneDnnMemory(p.user_filter, filter)},
       {DNNL_ARG_TO, OneDnnMemory(p.data_desc.weights_desc(), packed)},
       {DNNL_ARG_SCRATCHPAD,
        OneDnnMemory(p.pack_for_data_desc.scratchpad_desc(), scratch.data())}});
}

void OneDnnConvolution::Forward(const void* x, const float* packed,
                                const float* bias, void* y,
                                float* scratch) const {
  const OneDnnThread single;
  const Primitives& p = *primitives_;
  p.forward.execute(
      OneDnnStream(),
      {{DNNL_ARG_SRC, OneDnnMemory(p.x, x)},
       {DNNL_ARG_WEIGHTS, OneDnnMemory(p.forward_desc.weights_desc(), packed)},
       {DNNL_ARG_BIAS, OneDnnMemory(p.bias, bias)},
       {DNNL_ARG_DST, OneDnnMemory(p.y, y)},
       {DNNL_ARG_SCRATCHPAD,
        OneDnnMemory(p.forward_desc.scratchpad_desc(), scratch)}});
}

void OneDnnConvolution::BackwardData(const void* dy,
                                     const float* packed_for_data, void* dx,
                                     float* scratch) const {
  const OneDnnThread single;
  const Primitives& p = *primitives_;
  p.data.execute(OneDnnStream(),
                 {{DNNL_ARG_DIFF_DST, OneDnnMemory(p.dy, dy)},
                  {DNNL_ARG_WEIGHTS,
                   OneDnnMemory(p.data_desc.weights_desc(), packed_for_data)},
                  {DNNL_ARG_DIFF_SRC, OneDnnMemory(p.dx, dx)},
                  {DNNL_ARG_SCRATCHPAD,
                   OneDnnMemory(p.data_desc.scratchpad_desc(), scratch)}});
}

void OneDnnConvolution::BackwardFilter(const void* x, const void* dy, bool add,
                                       float* dfilter, float* dbias,
                                       float* scratch) const {
  const OneDnnThread single;
  const Primitives& p = *primitives_;
  const memory::desc packed_desc = p.weights_desc.diff_weights_desc();
  float* bias_part = scratch + Lines(Floats(packed_desc));
  float* rest = bias_part + Lines(outputs_);
  const memory packed = OneDnnMemory(packed_desc, scratch);
  p.weights.execute(OneDnnStream(),
                    {{DNNL_ARG_SRC, OneDnnMemory(p.x, x)},
                     {DNNL_ARG_DIFF_DST, OneDnnMemory(p.dy, dy)},
                     {DNNL_ARG_DIFF_WEIGHTS, packed},
                     {DNNL_ARG_DIFF_BIAS, OneDnnMemory(p.bias, bias_part)},
                     {DNNL_ARG_SCRATCHPAD,
                      OneDnnMemory(p.weights_desc.scratchpad_desc(), rest)}});
  const dnnl::reorder& unpack = add ? p.add : p.set;
  const auto& unpack_desc = add ? p.add_desc : p.set_desc;
  unpack.execute(OneDnnStream(),
                 {{DNNL_ARG_FROM, packed},
                  {DNNL_ARG_TO, OneDnnMemory(p.user_dfilter, dfilter)},
                  {DNNL_ARG_SCRATCHPAD,
                   OneDnnMemory(unpack_desc.scratchpad_desc(), rest)}});
  for (int64_t o = 0; o < outputs_; ++o) {
    dbias[o] = (add ? dbias[o] : 0.0f) + bias_part[o];
  }
}

namespace {

struct Key {
  ConvolutionShape shape;
  int64_t images;
  DType y_type;

  auto operator<=>(const Key&) const = default;
};

// Bounded, so that many image sizes do not fill the memory with generated code.
SharedPlanCache<Key, OneDnnConvolution>& Cache() {
  static auto* cache = new SharedPlanCache<Key, OneDnnConvolution>(256);
  return *cache;  // never destroyed: threads may use it until exit
}

}  // namespace

std::shared_ptr<const OneDnnConvolution> OneDnnConvolution::Get(
    const ConvolutionShape& shape, int64_t images, DType y_type) {
  return Cache().Get({shape, images, y_type}, [&] {
    try {
      return std::shared_ptr<const OneDnnConvolution>(
          new OneDnnConvolution(shape, images, y_type));
    } catch (...) {
      RethrowOneDnnError("Conv2D");
    }
  });
}

}  // namespace lockstep::kernels_internal
