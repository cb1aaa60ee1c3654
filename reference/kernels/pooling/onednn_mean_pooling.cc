#include "reference/kernels/pooling/onednn_mean_pooling.h"

#include <compare>
#include <dnnl.hpp>

#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/kernels/plan_cache.h"

namespace lockstep::kernels_internal {
namespace {

using dnnl::memory;

constexpr auto kMean = dnnl::algorithm::pooling_avg_exclude_padding;

memory::desc Images(int64_t images, const PoolShape& s, int64_t rows,
                    int64_t columns) {
  return {{images, s.channels, rows, columns},
          memory::data_type::f32,
          memory::format_tag::nhwc};
}

}  // namespace

struct OneDnnMeanPooling::Primitives {
  Primitives(const PoolShape& s, int64_t images)
      : x(Images(images, s, s.height, s.width)),
        y(Images(images, s, s.rows.count, s.columns.count)),
        window{s.pool[0], s.pool[1]},
        strides{s.strides[0], s.strides[1]},
        before{s.rows.before, s.columns.before},
        after{s.rows.after, s.columns.after},
        forward_desc(DescribePrimitive<OneDnnPooling>(
            {}, dnnl::prop_kind::forward_training, kMean, x, y, strides, window,
            memory::dims{0, 0}, before, after)),
        forward(forward_desc),
        backward(DescribeGradient<OneDnnPoolingGradient>(
            {}, forward_desc, kMean, x, y, strides, window, memory::dims{0, 0},
            before, after)) {}

  memory::desc x, y;
  memory::dims window, strides, before, after;
  OneDnnPooling::primitive_desc forward_desc;
  OneDnnPooling forward;
  OneDnnPoolingGradient backward;
};

OneDnnMeanPooling::OneDnnMeanPooling(const PoolShape& shape, int64_t images) {
  const OneDnnThread single;
  primitives_ = std::make_unique<const Primitives>(shape, images);
}

OneDnnMeanPooling::~OneDnnMeanPooling() = default;

void OneDnnMeanPooling::Forward(const float* x, float* y) const {
  const OneDnnThread single;
  const Primitives& p = *primitives_;
  p.forward.execute(OneDnnStream(), {{DNNL_ARG_SRC, OneDnnMemory(p.x, x)},
                                     {DNNL_ARG_DST, OneDnnMemory(p.y, y)}});
}

void OneDnnMeanPooling::Backward(const float* dy, float* dx) const {
  const OneDnnThread single;
  const Primitives& p = *primitives_;
  p.backward.execute(OneDnnStream(),
                     {{DNNL_ARG_DIFF_DST, OneDnnMemory(p.y, dy)},
                      {DNNL_ARG_DIFF_SRC, OneDnnMemory(p.x, dx)}});
}

namespace {

struct Key {
  PoolShape shape;
  int64_t images;

  auto operator<=>(const Key&) const = default;
};

}  // namespace

std::shared_ptr<const OneDnnMeanPooling> OneDnnMeanPooling::Get(
    const PoolShape& shape, int64_t images) {
  // Never destroyed: threads may use it until exit.
  static auto* cache = new SharedPlanCache<Key, OneDnnMeanPooling>(64);
  return cache->Get({shape, images}, [&] {
    try {
      return std::shared_ptr<const OneDnnMeanPooling>(
          new OneDnnMeanPooling(shape, images));
    } catch (...) {
      RethrowOneDnnError("AvgPool2D");
    }
  });
}

}  // namespace lockstep::kernels_internal
