// Start here: everything a training program uses.
//
//   MirroredStrategy strategy({"CPU:0", "CPU:1"});
//   auto scope = strategy.Scope();
//   Sequential model({Flatten(), Dense(10)});
//   Adam optimizer;
//   for (const auto& batch : strategy.DistributeDataset(dataset)) {
//     PerReplica<Tensor> losses = strategy.Run(TrainStep, batch);
//     Tensor loss = strategy.Reduce(ReduceOp::kSum, losses);
//   }
//
// The folders, from the lowest layer up (tools/check_layers.py has the table of which
// folder may use which):
//   base/         errors, threads, random numbers, files
//   device/       logical devices and their memory
//   tensor/       Tensor, Shape, and nests of tensors (Structure)
//   kernels/      forward and backward operations, by family
//   collectives/  all-reduce and similar operations between devices
//   cluster/      the workers of a job, and which of them this process is
//   autodiff/     variables, gradient tape, differentiable operations (ops/)
//   layers/ losses/ metrics/ optimizers/ regularizers/
//   tensor_bundle/  the files of TensorFlow's checkpoints and caches
//   data/         datasets: sources (also files), transformations, shards for
//                 workers
//   checkpoint/   saving and restoring in TensorFlow's format
//   distribute/   strategies, replica values and variables, distributed input
//   decoding/     sequences of tokens, greedily and with a beam
//   parameter_server/  variables that processes of their own keep
//   file_formats/, export/  models and weights in the files of Keras, TensorFlow
//                 and safetensors
//   training/     models with compile, fit and callbacks
//
// Mixed precision (layers/dtype_policy.h), here with float16, which needs a loss scale;
// "mixed_bfloat16" does not:
//
//   SetDTypePolicy("mixed_float16");           // before creating layers
//   LossScaleOptimizer optimizer(std::make_shared<Adam>());
//   auto gradients = tape.Gradient(optimizer.ScaleLoss(loss), variables);
//   optimizer.ApplyGradients(Zip(gradients, variables));   // divides, and
//                                                          // skips infinities
//
// docs/names.md maps each documented TensorFlow name to its symbol.
#ifndef LOCKSTEP_REFERENCE_LOCKSTEP_H_
#define LOCKSTEP_REFERENCE_LOCKSTEP_H_

// IWYU pragma: begin_exports
#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/autodiff/ops/recurrent_ops.h"
#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_manager.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/cluster/cluster_resolver.h"
#include "reference/cluster/environment_cluster_resolver.h"
#include "reference/cluster/kubernetes_cluster_resolver.h"
#include "reference/cluster/launcher_cluster_resolvers.h"
#include "reference/cluster/parameter_server_cluster.h"
#include "reference/cluster/slurm/slurm_cluster_resolver.h"
#include "reference/cluster/tf_config_cluster_resolver.h"
#include "reference/data/dataset.h"
#include "reference/data/examples/parse_example.h"
#include "reference/data/ragged/ragged.h"
#include "reference/data/ragged/ragged_batch.h"
#include "reference/data/sharding/auto_shard.h"
#include "reference/data/sharding/explain_sharding.h"
#include "reference/data/tf_record_writer.h"
#include "reference/decoding/decode.h"
#include "reference/device/device.h"
#include "reference/distribute/gradient_buckets.h"
#include "reference/distribute/graph_mode/deferred.h"
#include "reference/distribute/graph_mode/input_iterator.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/input/iterator_state.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/distribute/simulated_pod/simulated_tpu_strategy.h"
#include "reference/distribute/step_graph/step_graph.h"
#include "reference/distribute/strategy.h"
#include "reference/distribute/variables/distributed_variable_creation.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/layers/recurrent/additive_attention.h"
#include "reference/layers/recurrent/recurrent.h"
#include "reference/layers/transformer/dropout.h"
#include "reference/layers/transformer/embedding.h"
#include "reference/layers/transformer/layer_normalization.h"
#include "reference/layers/transformer/multi_head_attention.h"
#include "reference/layers/typed_input.h"
#include "reference/losses/cross_entropy.h"
#include "reference/losses/loss.h"
#include "reference/losses/named_loss.h"
#include "reference/losses/regression_losses.h"
#include "reference/metrics/accuracy.h"
#include "reference/metrics/auc.h"
#include "reference/metrics/bleu.h"
#include "reference/metrics/f1_score.h"
#include "reference/metrics/mean_iou.h"
#include "reference/metrics/metric.h"
#include "reference/metrics/named_metric.h"
#include "reference/metrics/ranking.h"
#include "reference/optimizers/decay_schedules.h"
#include "reference/optimizers/learning_rate_schedule.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/named_optimizer.h"
#include "reference/optimizers/update_rules.h"
#include "reference/parameter_server/coordinator/cluster_coordinator.h"
#include "reference/parameter_server/coordinator/parameter_server_strategy.h"
#include "reference/parameter_server/server/parameter_server.h"
#include "reference/parameter_server/variables/partitioners.h"
#include "reference/parameter_server/variables/remote_variable.h"
#include "reference/preprocessing/language/masking.h"
#include "reference/preprocessing/language/sentence_pairs.h"
#include "reference/preprocessing/language/split_words.h"
#include "reference/preprocessing/language/train_word_pieces.h"
#include "reference/preprocessing/language/word_pieces.h"
#include "reference/preprocessing/numeric/discretization.h"
#include "reference/preprocessing/numeric/normalization.h"
#include "reference/preprocessing/numeric/rescaling.h"
#include "reference/preprocessing/random/random_crop.h"
#include "reference/preprocessing/random/random_flip.h"
#include "reference/preprocessing/random/random_rotation.h"
#include "reference/preprocessing/transform/analyze.h"
#include "reference/preprocessing/transform/recipe.h"
#include "reference/preprocessing/transform/transform.h"
#include "reference/preprocessing/words/category_encoding.h"
#include "reference/preprocessing/words/hashing.h"
#include "reference/preprocessing/words/lookup.h"
#include "reference/preprocessing/words/text_vectorization.h"
#include "reference/regularizers/regularizer.h"
#include "reference/tensor/nest.h"
#include "reference/tensor/tensor.h"
#include "reference/training/batches/dataset_creator.h"
#include "reference/training/callbacks/backup_and_restore.h"
#include "reference/training/callbacks/csv_logger.h"
#include "reference/training/callbacks/early_stopping.h"
#include "reference/training/callbacks/learning_rate.h"
#include "reference/training/callbacks/model_checkpoint.h"
#include "reference/training/callbacks/tensor_board.h"
#include "reference/training/model/model.h"
#include "reference/training/model/model_file.h"
#include "reference/training/sidecar/sidecar_evaluator.h"
#include "reference/training/summary/summary_writer.h"
// IWYU pragma: end_exports

#endif  // LOCKSTEP_REFERENCE_LOCKSTEP_H_
