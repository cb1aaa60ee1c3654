// ResNet-50 on synthetic images as a benchmark.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_RESNET50_WORKLOAD_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_RESNET50_WORKLOAD_H_

#include <cstdint>

#include "benchmarks/workloads/resnet50/model.h"
#include "benchmarks/workloads/workload.h"

namespace lockstep::benchmarks {

struct ResNet50Options {
  ResNet50Model model = {};
  int64_t images_per_replica = 32;
  int most_replicas = 1;  // that will train it
  int steps_per_epoch = 20;
  uint64_t seed = 42;
};

// SGD with momentum 0.9 and learning rate 0.1 for 256 images, in proportion to
// the global batch. There are as many images as the largest global batch has,
// made from the seed, so that a training run goes over and over them, and as
// many others to test with.
Workload ResNet50(const ResNet50Options& options);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_RESNET50_WORKLOAD_H_
