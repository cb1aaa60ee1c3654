// The task of image workloads: which of some classes an image shows.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_CLASSIFICATION_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_CLASSIFICATION_H_

#include <functional>
#include <memory>
#include <string>

#include "benchmarks/workloads/task.h"
#include "benchmarks/workloads/workload.h"
#include "image_datasets/image_data.h"
#include "reference/layers/layer.h"

namespace lockstep::benchmarks {

// Scaled images as a workload has them: elements (image, label).
WorkloadData ImagesOf(const std::string& name, const std::string& source,
                      const ImageData& images);

// A maker of the task, for a maker of its model: images to logits (n, classes).
// Examples are tuples (image, label). Its loss is the mean cross entropy of a
// global batch plus the model's penalties; its quality, the share of images
// that it classifies rightly.
std::function<std::unique_ptr<Task>()> Classification(
    std::function<Layer()> make_model);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_CLASSIFICATION_H_
