// ResNet-50 on synthetic images as a benchmark.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_RESNET50_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_RESNET50_H_

#include <array>
#include <cstdint>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workload_options.h"
#include "reference/training/model/model.h"

namespace lockstep::benchmarks {

// ResNet-50 v1.5: He, Zhang, Ren and Sun, "Deep residual learning for image
// recognition", 2015, with the strides on the 3 x 3 convolutions, as PyTorch
// and NVIDIA's examples have it, and as benchmarks usually measure it.
struct ResNet50Model {
  int64_t image_size = 224;
  int64_t classes = 1000;
  double l2 = 0;              // penalty on the kernels
  bool synchronized = false;  // replicas normalize by the moments of all
  // Smaller ones for tests.
  int64_t width = 64;                         // channels of the first stage
  std::array<int64_t, 4> blocks{3, 4, 6, 3};  // of each stage
};

// Logits [N, classes] of images [N, size, size, 3].
SymbolicTensor ResNet50Logits(const ResNet50Model& model,
                              const SymbolicTensor& images);

// Of images of the model's size; 25,557,032 trainable weights and 53,120 moving
// moments, made at once. REQUIRES: called in the strategy's scope.
Model MakeResNet50(const ResNet50Model& model);

struct ResNet50Options {
  ResNet50Model model = {};
  int64_t batch_per_replica = 32;
  int most_replicas = 1;  // that will train it
  int steps_per_epoch = 20;
  uint64_t seed = 42;
};

// SGD with momentum 0.9 and learning rate 0.1 for 256 images, in proportion to
// the global batch. There are as many images as the largest global batch has,
// made from the seed, so that a training run repeats them, and as
// many others to test with.
Workload ResNet50(const ResNet50Options& options);

// The same as a user chooses it.
Workload ResNet50For(const WorkloadOptions& options);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_RESNET50_H_
