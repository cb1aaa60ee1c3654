// What a training benchmark trains: a task, its examples and its optimizer.
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

#include "benchmarks/workloads/task.h"
#include "reference/data/dataset.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep::benchmarks {

// Examples to train on and to test with.
struct WorkloadData {
  std::string name;         // "fashion_mnist"
  std::string source;       // "full", "embedded" or "synthetic"
  std::string description;  // "Fashion-MNIST (60000 + 10000 images)"
  // One element an example. Each pass over `train` is an epoch; the training
  // shuffles it.
  Dataset train;
  Dataset test;
  // Where an epoch's examples are drawn again: those of epochs 1, 2, ..., as many
  // as in `train`, which are those of epoch 0.
  std::function<Dataset(int epoch)> train_of_epoch = nullptr;
  int64_t train_size = 0;
  int64_t test_size = 0;
  std::string item = "image";  // what one example is, for people
  // Where examples are sequences: how many tokens one has, on average.
  double tokens_per_example = 0;
};

// What an optimizer is for.
struct TrainingPlan {
  int64_t global_batch_size = 0;  // examples of a step
  int64_t steps = 0;              // of all epochs
};

struct Workload {
  std::string name;         // "resnet50", as entries have it
  std::string description;  // "ResNet-50", for people
  // The workload's settings, for the result's context.
  std::map<std::string, std::variant<int64_t, double>> details;

  WorkloadData data;
  // How examples become a batch; nothing: Dataset::Batch.
  std::function<Dataset(const Dataset& examples, int64_t batch_size)> batch =
      nullptr;
  Dataset Batches(const Dataset& examples, int64_t batch_size) const;
  // Of all replicas: the test examples.
  Dataset TestBatches(int64_t global_batch_size) const;

  // An epoch goes through the examples once, or begins again where they end and
  // has so many steps.
  int steps_per_epoch = 0;  // 0: once
  // Steps of an epoch, at most `limit` where the examples are gone through once,
  // `limit` where they begin again; 0: no limit.
  int64_t StepsPerEpoch(int64_t global_batch_size, int64_t limit) const;

  int64_t batch_per_replica = 0;  // examples of a step
  int64_t test_batch = 0;         // of all replicas; 0: as in training
  int warmup_steps = 0;           // before times count
  int steps_per_block = 1;        // a sample each

  std::string precision = "float32";  // the layers' dtype policy
  std::string optimizer;              // "adam", as entries have it
  // Called in the strategy's scope; the model is built.
  std::function<std::unique_ptr<Task>()> make_task;
  std::function<std::unique_ptr<Optimizer>(const TrainingPlan&)> make_optimizer;
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
