#include "benchmarks/micro/layers/layer_inputs.h"

#include <cstdint>

namespace lockstep::benchmarks {
namespace {

// Looks random, and is the same everywhere.
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
