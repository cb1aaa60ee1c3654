#include "image_datasets/image_data.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

// Division is slow and there are only 256 results.
const std::array<float, 256>& Quotients() {
  static const std::array<float, 256> quotients = [] {
    std::array<float, 256> values;
    for (int i = 0; i < 256; ++i) values[i] = static_cast<float>(i) / 255.0f;
    return values;
  }();
  return quotients;
}

}  // namespace

Dataset ToDataset(const ImageExamples& examples) {
  return Dataset::FromTensorSlices(
      Structure::Tuple({examples.images, examples.labels}));
}

Tensor ScaleImages(const Tensor& images) {
  if (images.dtype() != DType::kUInt8) {
    throw InvalidArgument("[ScaleImages] images must be uint8, got {}",
                          Describe(images));
  }
  constexpr int64_t kGrain = 1 << 15;
  const std::array<float, 256>& quotients = Quotients();
  Tensor scaled = EmptyOnHost(images.shape());
  const uint8_t* in = images.data<uint8_t>();
  float* out = scaled.mutable_data<float>();
  ParallelFor(images.num_elements(), kGrain,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t i = begin; i < end; ++i) {
                  out[i] = quotients[in[i]];
                }
              });
  return scaled;
}

Structure ScaleFirst(const Structure& element) {
  if (element.kind() != NestKind::kTuple || element.size() == 0) {
    throw InvalidArgument("[ScaleFirst] wanted a tuple (images, labels)");
  }
  std::vector<Structure> items = element.items();
  items[0] = ScaleImages(items[0].leaf());
  return Structure::Tuple(std::move(items));
}

ImageData Scaled(const ImageData& data) {
  ImageData scaled = data;
  scaled.train.images = ScaleImages(data.train.images);
  scaled.test.images = ScaleImages(data.test.images);
  return scaled;
}

}  // namespace lockstep
