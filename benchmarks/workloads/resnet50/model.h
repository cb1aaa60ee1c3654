// ResNet-50 v1.5: He, Zhang, Ren and Sun, "Deep residual learning for image
// recognition", 2015, with the strides on the 3 x 3 convolutions, as PyTorch
// and NVIDIA's examples have it and everybody measures it.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_RESNET50_MODEL_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_RESNET50_MODEL_H_

#include <array>
#include <cstdint>
#include <memory>

#include "reference/layers/sequential.h"

namespace lockstep::benchmarks {

struct ResNet50Model {
  int64_t image_size = 224;
  int64_t classes = 1000;
  double l2 = 0;              // penalty on the kernels
  bool synchronized = false;  // replicas normalize by the moments of all
  // Smaller ones for tests.
  int64_t width = 64;                         // channels of the first stage
  std::array<int64_t, 4> blocks{3, 4, 6, 3};  // of each stage
};

// Images [N, size, size, 3] to logits [N, classes]; 25,557,032 trainable
// weights and 53,120 moving moments, made at once. REQUIRES: called in the
// strategy's scope.
std::unique_ptr<Sequential> MakeResNet50(const ResNet50Model& model);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_RESNET50_MODEL_H_
