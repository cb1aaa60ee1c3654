// What a training benchmark trains: a model, its images and its optimizer.
//
//   const Workload workload = ResNet50({.image_size = 64}, images);
//   Trainer trainer(workload, {.replicas = 2});
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_WORKLOAD_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_WORKLOAD_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "image_datasets/image_data.h"
#include "reference/layers/layer.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep::benchmarks {

struct Workload {
  std::string name;         // "resnet50", as entries have it
  std::string description;  // "ResNet-50", for people
  // The workload's settings, for the result's context.
  std::map<std::string, std::variant<int64_t, double>> details;

  std::string data_name;    // "fashion_mnist"
  std::string data_source;  // "full", "embedded" or "synthetic"
  ImageData data;           // float32 images
  // An epoch goes through the images once, or begins again where they end and
  // has so many steps.
  int steps_per_epoch = 0;  // 0: once

  int64_t images_per_replica = 0;  // of a step
  int warmup_steps = 0;            // before times count
  int steps_per_block = 1;         // a sample each

  std::string precision = "float32";  // the layers' dtype policy
  std::string optimizer;              // "adam", as entries have it
  // Called in the strategy's scope; the model is built.
  std::function<Layer()> make_model;
  std::function<std::unique_ptr<Optimizer>(int64_t global_batch_size)>
      make_optimizer;
};

// A workload in another precision.
//
//   Workload workload = WithPrecision(FashionMnistCnn(images), "mixed_bfloat16");
//   workload.precision;    // "mixed_bfloat16"
//
// The model is made under the policy; mixed_float16 scales its losses.
// Errors: those of DTypePolicy.
Workload WithPrecision(Workload workload, const std::string& policy);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_WORKLOAD_H_
