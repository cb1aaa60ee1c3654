// Start here: everything a training program uses.
//
//   MirroredStrategy strategy({"CPU:0", "CPU:1"});
//   auto scope = strategy.Scope();
//   Sequential model({...});
//   Adam optimizer;
//   for (const auto& batch : strategy.DistributeDataset(dataset)) {
//     PerReplica<Tensor> losses = strategy.Run(TrainStep, batch);
//     Tensor loss = strategy.Reduce(ReduceOp::kSum, losses);
//   }
//
// Guide, from the bottom up (a folder uses only those above it here):
//   base/         errors, threads, random numbers, files
//   device/       logical devices and their memory
//   tensor/       Tensor, Shape, and nests of tensors (Structure)
//   kernels/      forward and backward maths, one operation a file
//   collectives/  all-reduce and its kin between devices
//   autodiff/     variables, gradient tape, differentiable operations (ops/)
//   layers/ losses/ metrics/ optimizers/ regularizers/
//   data/         datasets: sources and transformations
//   checkpoint/   saving and restoring in TensorFlow's format
//   distribute/   strategies, replica values and variables, distributed input
//
// In 16 bits (layers/dtype_policy.h), here float16 with its loss scale; with
// "mixed_bfloat16" none is wanted:
//
//   SetDTypePolicy("mixed_float16");              // before the layers are made
//   LossScaleOptimizer optimizer(std::make_shared<Adam>());
//   auto gradients = tape.Gradient(optimizer.ScaleLoss(loss), variables);
//   optimizer.ApplyGradients(...);                // divides, and skips infinities
//
// docs/names.md maps each documented TensorFlow name to its symbol.
#ifndef LOCKSTEP_REFERENCE_LOCKSTEP_H_
#define LOCKSTEP_REFERENCE_LOCKSTEP_H_

// IWYU pragma: begin_exports
#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_manager.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/data/dataset.h"
#include "reference/device/device.h"
#include "reference/distribute/check_replicas_equal.h"
#include "reference/distribute/gradient_buckets.h"
#include "reference/distribute/input/distribute_dataset.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/distribute/step_graph.h"
#include "reference/distribute/strategy.h"
#include "reference/layers/average_pooling2d.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/conv2d.h"
#include "reference/layers/dense.h"
#include "reference/layers/dtype_policy.h"
#include "reference/layers/flatten.h"
#include "reference/layers/global_average_pooling2d.h"
#include "reference/layers/initializers/random_seed.h"
#include "reference/layers/max_pooling2d.h"
#include "reference/layers/relu.h"
#include "reference/layers/residual.h"
#include "reference/layers/sequential.h"
#include "reference/layers/zero_padding2d.h"
#include "reference/losses/compute_average_loss.h"
#include "reference/losses/mean_absolute_error.h"
#include "reference/losses/mean_squared_error.h"
#include "reference/losses/scale_regularization_loss.h"
#include "reference/losses/sparse_categorical_crossentropy.h"
#include "reference/metrics/accuracy.h"
#include "reference/metrics/confusion.h"
#include "reference/metrics/mean.h"
#include "reference/metrics/mean_error.h"
#include "reference/metrics/sparse_categorical_accuracy.h"
#include "reference/metrics/sum.h"
#include "reference/optimizers/adagrad.h"
#include "reference/optimizers/adam.h"
#include "reference/optimizers/exponential_decay.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/piecewise_constant_decay.h"
#include "reference/optimizers/rms_prop.h"
#include "reference/optimizers/sgd.h"
#include "reference/regularizers/l1.h"
#include "reference/regularizers/l2.h"
#include "reference/tensor/nest.h"
#include "reference/tensor/tensor.h"
// IWYU pragma: end_exports

#endif  // LOCKSTEP_REFERENCE_LOCKSTEP_H_
