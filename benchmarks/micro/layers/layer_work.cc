#include "benchmarks/micro/layers/layer_work.h"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/entry_name.h"
#include "reference/kernels/padding.h"

namespace lockstep::benchmarks {
namespace {

constexpr const char* NameOf(LayerKind kind) {
  switch (kind) {
    case LayerKind::kMaxPool:
      return "MaxPool2D";
    case LayerKind::kAvgPool:
      return "AvgPool2D";
    case LayerKind::kBatchNorm:
      return "BatchNorm";
    case LayerKind::kSoftmax:
      break;
  }
  return "Softmax";
}

LayerWork Pool(LayerKind kind, const Shape& x, int64_t size, int64_t stride) {
  return {.kind = kind,
          .x = x,
          .windows = {.pool = {size, size}, .strides = {stride, stride}}};
}

// Forward, in float32.
std::vector<LayerWork> Shapes() {
  std::vector<LayerWork> works;
  for (const int64_t images : {64, 128}) {  // the Fashion-MNIST CNN
    works.push_back(Pool(LayerKind::kMaxPool, Shape{images, 26, 26, 32}, 2, 2));
    works.push_back(Pool(LayerKind::kMaxPool, Shape{images, 11, 11, 64}, 2, 2));
    works.push_back({.kind = LayerKind::kSoftmax, .x = Shape{images, 10}});
  }
  // ResNet-50: behind its stem with a rim of one, as the model pads it.
  works.push_back(Pool(LayerKind::kMaxPool, Shape{64, 114, 114, 64}, 3, 2));
  works.push_back(Pool(LayerKind::kAvgPool, Shape{64, 7, 7, 2048}, 7, 7));
  for (const Shape& x : {Shape{64, 56, 56, 256}, Shape{64, 28, 28, 512},
                         Shape{64, 14, 14, 1024}, Shape{64, 7, 7, 2048}}) {
    works.push_back({.kind = LayerKind::kBatchNorm, .x = x});
  }
  works.push_back({.kind = LayerKind::kSoftmax, .x = Shape{64, 1000}});
  return works;
}

}  // namespace

Shape OutputShapeOf(const LayerWork& work) {
  if (!work.is_pool()) return work.x;
  Shape y = work.x;
  for (const int axis : {1, 2}) {
    const kernels::Windows windows = kernels::PlaceWindows(
        "LayerWork", work.x[axis], work.windows.pool[axis - 1],
        work.windows.strides[axis - 1], work.windows.padding);
    y = y.WithDim(axis, windows.count);
  }
  return y;
}

std::string EntryNameOf(const LayerWork& work, std::string_view by) {
  EntryName name(NameOf(work.kind));
  name.With("pass", work.pass == LayerPass::kForward ? "forward" : "backward")
      .With("x", fmt::format("{}", fmt::join(work.x.dims(), "x")));
  if (work.is_pool()) {
    name.With("pool", fmt::format("{}", fmt::join(work.windows.pool, "x")))
        .With("strides",
              fmt::format("{}", fmt::join(work.windows.strides, "x")));
  }
  return name.With("dtype", DTypeName(work.dtype))
      .With("device", "gpu")
      .With("by", by)
      .str();
}

int64_t BytesOf(const LayerWork& work) {
  const int64_t x = work.x.num_elements();
  const int64_t y = OutputShapeOf(work).num_elements();
  // A gradient also reads the x that was normalized, the softmax's y.
  const bool reads_more = work.pass == LayerPass::kBackward && !work.is_pool();
  return (x + y + (reads_more ? x : 0)) *
         static_cast<int64_t>(DTypeSize(work.dtype));
}

int RunsOf(const LayerWork& work) {
  constexpr int64_t kBytes = 1'000'000'000;
  return static_cast<int>(std::clamp<int64_t>(
      kBytes / std::max<int64_t>(BytesOf(work), 1), 5, 100));
}

std::vector<std::string> CudnnWaysOf(const LayerWork& work) {
  if (work.kind == LayerKind::kMaxPool && work.pass == LayerPass::kBackward) {
    return {kCudnn, kCudnnDeterministic};
  }
  if (work.kind == LayerKind::kBatchNorm) return {kCudnn, kCudnnPersistent};
  return {kCudnn};
}

std::vector<LayerWork> WorkloadLayers() {
  std::vector<LayerWork> works;
  for (LayerWork work : Shapes()) {
    for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
      for (const LayerPass pass : {LayerPass::kForward, LayerPass::kBackward}) {
        work.dtype = dtype;
        work.pass = pass;
        works.push_back(work);
      }
    }
  }
  return works;
}

}  // namespace lockstep::benchmarks
