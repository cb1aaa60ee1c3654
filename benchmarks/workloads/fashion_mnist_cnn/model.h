// The model of the custom-training document.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_FASHION_MNIST_CNN_MODEL_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_FASHION_MNIST_CNN_MODEL_H_

#include <memory>

#include "reference/layers/sequential.h"

namespace lockstep::benchmarks {

// Conv2D(32, 3, ReLU), MaxPooling2D, Conv2D(64, 3, ReLU), MaxPooling2D,
// Flatten, Dense(64, ReLU), Dense(10): images [N, 28, 28, 1] to logits [N, 10].
// 121,930 weights, made at once. REQUIRES: called in the strategy's scope.
std::unique_ptr<Sequential> MakeFashionMnistCnn();

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_FASHION_MNIST_CNN_MODEL_H_
