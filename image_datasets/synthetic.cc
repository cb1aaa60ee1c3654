#include "image_datasets/synthetic.h"

#include <fmt/core.h>

#include <algorithm>

#include "reference/base/error.h"
#include "reference/base/random.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

constexpr uint8_t kBright = 255;
constexpr uint32_t kNoiseBelow = 128;

// The number of values in an image.
int64_t Size(const SyntheticOptions& options) {
  return options.height * options.width * options.channels;
}

void Check(const SyntheticOptions& options) {
  if (options.count < 0 || options.height < 1 || options.width < 1 ||
      options.channels < 1 || options.classes < 1 ||
      options.classes > Size(options)) {
    throw InvalidArgument(
        "[Synthetic] wanted count >= 0, height, width, channels, classes >= 1 "
        "and no more classes than numbers an image, got {} images of {} x {} x "
        "{} in {} classes",
        options.count, options.height, options.width, options.channels,
        options.classes);
  }
}

// The values of a class are contiguous, and no two classes share any.
void Draw(uint8_t* image, int64_t size, int64_t label, int64_t classes,
          Random& random) {
  for (int64_t i = 0; i < size; ++i) {
    image[i] = static_cast<uint8_t>(random.Next32() % kNoiseBelow);
  }
  std::fill(image + label * size / classes,
            image + (label + 1) * size / classes, kBright);
}

}  // namespace

ImageExamples MakeSyntheticImages(const SyntheticOptions& options) {
  Check(options);
  const int64_t size = Size(options);
  Tensor images = EmptyOnHost(
      Shape{options.count, options.height, options.width, options.channels},
      DType::kUInt8);
  Tensor labels = EmptyOnHost(Shape{options.count}, DType::kInt64);
  Random random(options.seed);
  for (int64_t i = 0; i < options.count; ++i) {
    const int64_t label = i % options.classes;
    labels.mutable_data<int64_t>()[i] = label;
    Draw(images.mutable_data<uint8_t>() + i * size, size, label,
         options.classes, random);
  }
  return {images, labels};
}

ImageData MakeSyntheticData(const SyntheticOptions& options,
                            int64_t test_count) {
  SyntheticOptions test = options;
  test.count = test_count;
  test.seed = options.seed + 1;
  ImageData data;
  data.classes = options.classes;
  data.train = MakeSyntheticImages(options);
  data.test = MakeSyntheticImages(test);
  data.description = fmt::format("synthetic, seed {} ({} + {} images)",
                                 options.seed, options.count, test_count);
  return data;
}

}  // namespace lockstep
