// Images that can be learnt exactly, made from a seed: class c sets its own
// block of an image's values to full brightness over noise of at most half
// brightness, so that the brightest block is the class.
//
//   ImageExamples examples = MakeSyntheticImages({.count = 1000, .seed = 1});
//   examples.images;   // uint8 (1000, 28, 28, 1)
//   examples.labels;   // int64: 0, 1, ..., 9, 0, 1, ... each class equally
#ifndef LOCKSTEP_IMAGE_DATASETS_SYNTHETIC_H_
#define LOCKSTEP_IMAGE_DATASETS_SYNTHETIC_H_

#include <cstdint>

#include "image_datasets/image_data.h"

namespace lockstep {

struct SyntheticOptions {
  int64_t count = 1000;
  int64_t height = 28;
  int64_t width = 28;
  int64_t channels = 1;
  int64_t classes = 10;
  uint64_t seed = 1;
};

// The same options give the same bytes on every machine. Errors:
// InvalidArgument for negative counts, sizes below 1, and more classes than
// values in an image.
ImageExamples MakeSyntheticImages(const SyntheticOptions& options);

// Training and test examples of different seeds.
ImageData MakeSyntheticData(const SyntheticOptions& options,
                            int64_t test_count);

}  // namespace lockstep

#endif  // LOCKSTEP_IMAGE_DATASETS_SYNTHETIC_H_
