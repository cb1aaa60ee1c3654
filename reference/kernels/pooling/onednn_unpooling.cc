#include "reference/kernels/pooling/onednn_unpooling.h"

#include <compare>
#include <cstddef>
#include <dnnl.hpp>
#include <vector>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/kernels/cpu/primitive_cache.h"

namespace lockstep::kernels_internal {
namespace {

using dnnl::memory;

memory Wrap(const memory::desc& desc, const void* data) {
  return {desc, OneDnnEngine(), const_cast<void*>(data)};
}

memory::desc Images(const memory::dims& dims, memory::data_type type) {
  return {dims, type, memory::format_tag::nhwc};
}

// Memory that a primitive works in belongs to the call, not to the primitive,
// which several threads run at once.
dnnl::primitive_attr OwnScratch() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

struct Key {
  PoolShape shape;
  int64_t images;

  auto operator<=>(const Key&) const = default;
};

}  // namespace

struct OneDnnUnpooling::Primitives {
  Primitives(const PoolShape& s, int64_t images)
      : y_dims{images, s.channels, s.rows.count, s.columns.count},
        x(Images({images, s.channels, s.height, s.width}, kFloat)),
        y(Images(y_dims, kFloat)),
        strides{s.strides[0], s.strides[1]},
        window{s.pool[0], s.pool[1]},
        before{s.rows.before, s.columns.before},
        after{s.rows.after, s.columns.after},
        forward({dnnl::prop_kind::forward_training, kMaximum, x, y, strides,
                 window, before, after},
                OwnScratch(), OneDnnEngine()),
        desc({kMaximum, x, y, strides, window, before, after}, OwnScratch(),
             OneDnnEngine(), forward),
        winners(desc.workspace_desc()),
        unpooling(desc) {
    // oneDNN numbers the elements of a window as MaxPoolImage does.
    LOCKSTEP_CHECK(winners == Images(y_dims, winners.data_type()));
  }

  static constexpr auto kFloat = memory::data_type::f32;
  static constexpr auto kMaximum = dnnl::algorithm::pooling_max;

  memory::dims y_dims;
  memory::desc x, y;
  memory::dims strides, window, before, after;
  dnnl::pooling_forward::primitive_desc forward;  // asked for by the gradient's
  dnnl::pooling_backward::primitive_desc desc;
  memory::desc winners;
  dnnl::pooling_backward unpooling;
};

OneDnnUnpooling::OneDnnUnpooling(const PoolShape& shape, int64_t images) {
  const OneDnnThread single;
  primitives_ = std::make_unique<Primitives>(shape, images);
}

OneDnnUnpooling::~OneDnnUnpooling() = default;

std::shared_ptr<const OneDnnUnpooling> OneDnnUnpooling::Get(
    const PoolShape& shape, int64_t images) {
  // Used by threads until the end.
  static auto* cache = new PrimitiveCache<Key, OneDnnUnpooling>;
  return cache->FindOrMake({shape, images}, [&] {
    try {
      return std::shared_ptr<const OneDnnUnpooling>(
          new OneDnnUnpooling(shape, images));
    } catch (const dnnl::error& error) {
      throw Internal("[MaxPool2DBackward] oneDNN has no such pooling: {}",
                     error.what());
    }
  });
}

void OneDnnUnpooling::Run(const float* dy, const void* winners,
                          float* dx) const {
  const OneDnnThread single;
  const Primitives& p = *primitives_;
  const memory::desc scratch_desc = p.desc.scratchpad_desc();
  std::vector<std::byte> scratch(scratch_desc.get_size());
  p.unpooling.execute(
      OneDnnStream(),
      {{DNNL_ARG_DIFF_DST, Wrap(p.y, dy)},
       {DNNL_ARG_WORKSPACE, Wrap(p.winners, winners)},
       {DNNL_ARG_DIFF_SRC, Wrap(p.x, dx)},
       {DNNL_ARG_SCRATCHPAD, Wrap(scratch_desc, scratch.data())}});
}

}  // namespace lockstep::kernels_internal
