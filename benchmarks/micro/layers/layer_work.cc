#include "benchmarks/micro/layers/layer_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "benchmarks/measurement/result_entry.h"
#include "reference/kernels/windows.h"

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
  // ResNet-50: after its stem, with a border of one, as the model pads it.
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

namespace {

// Pseudorandom, the same on all machines.
uint32_t Scatter(uint32_t number) {
  number *= 2654435761u;
  number ^= number >> 15;
  number *= 2246822519u;
  return number ^ number >> 13;
}

// value(i) for all elements.
template <class Value>
Tensor Filled(const Shape& shape, const Value& value) {
  Tensor tensor = Tensor::Empty(shape, DType::kFloat32, Device::Host());
  float* data = tensor.mutable_data<float>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    data[i] = value(static_cast<uint32_t>(i));
  }
  return tensor;
}

// Whole numbers from `least` on, `count` different ones.
Tensor Integers(const Shape& shape, uint32_t seed, uint32_t count, int least) {
  return Filled(shape, [=](uint32_t i) {
    return static_cast<float>(
        static_cast<int>(Scatter(i + seed * 2654435769u) % count) + least);
  });
}

// Whole numbers in [-125, 125]. Elements of a channel are different where they
// are at most 2 rows and 2 columns apart: row + 5 * column is, modulo 251.
Tensor NoTies(const Shape& x) {
  const auto width = static_cast<uint32_t>(x[2]);
  const auto channels = static_cast<uint32_t>(x[3]);
  return Filled(x, [=](uint32_t i) {
    const uint32_t pixel = i / channels;
    const uint32_t place = pixel / width + 5 * (pixel % width);
    return static_cast<float>((place + 37 * (i % channels)) % 251) - 125;
  });
}

Tensor XOf(const LayerWork& work) {
  switch (work.kind) {
    case LayerKind::kMaxPool:
      return NoTies(work.x);
    case LayerKind::kAvgPool:  // positive: no digits cancel
      return Integers(work.x, 1, 7, 1);
    case LayerKind::kBatchNorm:  // a mean of about 1
      return Integers(work.x, 1, 7, -2);
    case LayerKind::kSoftmax:
      break;
  }
  return Filled(work.x, [](uint32_t i) {
    return static_cast<float>(Scatter(i) % 33) / 4 - 4;
  });
}

}  // namespace

LayerInputs MakeLayerInputs(const LayerWork& work, Device& device) {
  LayerInputs inputs;
  inputs.x = XOf(work).To(device).Cast(work.dtype);
  inputs.dy =
      Integers(OutputShapeOf(work), 2, 7, -3).To(device).Cast(work.dtype);
  if (work.kind != LayerKind::kBatchNorm) return inputs;
  const Shape channels{work.x[3]};
  inputs.gamma = Filled(channels, [](uint32_t c) {
                   return 1 + static_cast<float>(c % 4) / 4;
                 }).To(device);
  inputs.beta = Integers(channels, 3, 5, -2).To(device);
  return inputs;
}

}  // namespace lockstep::benchmarks
