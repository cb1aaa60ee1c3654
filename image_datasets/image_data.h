// Images with labels, split into training and test examples.
//
//   ImageData data = LoadEmbeddedFashionMnist();
//   data.train.images;              // uint8 (10000, 28, 28, 1)
//   ToDataset(data.train).Shuffle(10000, 1).Batch(64).Map(ScaleFirst);
//                                   // (float32 (64, 28, 28, 1), int64 (64,))
#ifndef LOCKSTEP_IMAGE_DATASETS_IMAGE_DATA_H_
#define LOCKSTEP_IMAGE_DATASETS_IMAGE_DATA_H_

#include <string>

#include "reference/data/dataset.h"
#include "reference/tensor/nest.h"

namespace lockstep {

struct ImageExamples {
  Tensor images;  // uint8 or float32 (count, height, width, channels)
  Tensor labels;  // int64 (count,)

  int64_t size() const { return labels.num_elements(); }
};

struct ImageData {
  // A description for reports: "Fashion-MNIST (60000 + 10000 images)".
  std::string description;
  int64_t classes = 10;
  ImageExamples train;
  ImageExamples test;
};

// Tuples (image, label), one per example.
Dataset ToDataset(const ImageExamples& examples);

// uint8 0..255 as float32 0..1, by division, as documented.
// Errors: InvalidArgument for another type.
Tensor ScaleImages(const Tensor& images);

// For Dataset::Map: a tuple with its first leaf scaled.
// Errors: InvalidArgument if it is not a tuple, and as ScaleImages.
Structure ScaleFirst(const Structure& element);

// `data` with all images scaled: four times the memory, no later work.
ImageData Scaled(const ImageData& data);

}  // namespace lockstep

#endif  // LOCKSTEP_IMAGE_DATASETS_IMAGE_DATA_H_
