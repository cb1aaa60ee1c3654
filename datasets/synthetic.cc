#include "datasets/synthetic.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/base/error.h"
#include "reference/base/random.h"

namespace lockstep {
namespace {

constexpr uint8_t kBright = 255;
constexpr uint32_t kNoiseBelow = 128;

void Check(const SyntheticOptions& options) {
  const int64_t pixels = options.height * options.width;
  if (options.count < 0 || options.height < 1 || options.width < 1 ||
      options.classes < 1 || options.classes > pixels) {
    throw InvalidArgument(
        "[Synthetic] wanted count >= 0, height, width, classes >= 1 and no "
        "more classes than pixels, got {} images of {} x {} in {} classes",
        options.count, options.height, options.width, options.classes);
  }
}

// Pixels of a class are contiguous and no two classes share any.
void Draw(uint8_t* image, int64_t pixels, int64_t label, int64_t classes,
          Random& random) {
  for (int64_t i = 0; i < pixels; ++i) {
    image[i] = static_cast<uint8_t>(random.Next32() % kNoiseBelow);
  }
  std::fill(image + label * pixels / classes,
            image + (label + 1) * pixels / classes, kBright);
}

}  // namespace

ImageExamples MakeSyntheticImages(const SyntheticOptions& options) {
  Check(options);
  const int64_t pixels = options.height * options.width;
  Tensor images = Tensor::Empty(
      Shape{options.count, options.height, options.width, 1}, DType::kUInt8);
  Tensor labels = Tensor::Empty(Shape{options.count}, DType::kInt64);
  Random random(options.seed);
  for (int64_t i = 0; i < options.count; ++i) {
    const int64_t label = i % options.classes;
    labels.mutable_data<int64_t>()[i] = label;
    Draw(images.mutable_data<uint8_t>() + i * pixels, pixels, label,
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
