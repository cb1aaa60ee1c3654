// Combines the losses of a model's outputs into one loss of a batch, of which each
// replica has a part.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_LOSSES_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_LOSSES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/losses/loss.h"
#include "reference/tensor/tensor.h"
#include "reference/training/batches/batch.h"

namespace lockstep {

// The loss of one output.
struct OutputLoss {
  std::string output;
  std::shared_ptr<const losses::Loss> loss;  // nullptr if none
  double weight = 1;
};

// A replica's part of a loss. The sum over all replicas is the batch's loss.
struct LossPart {
  Tensor trained;            // to differentiate
  Tensor reported;           // the same, except for kNone
  std::vector<Tensor> each;  // reported for each output that has a loss
  // The weight of the batch in means over several batches, here and on all replicas,
  // as float32 scalars: the number of its examples, or, for a single loss that
  // ignores labels, of those that it does not ignore.
  Tensor weight;
  Tensor global_weight;
};

class ModelLosses {
 public:
  // One entry per output, in order.
  explicit ModelLosses(std::vector<OutputLoss> outputs)
      : outputs_(std::move(outputs)) {}

  // The names of the outputs' losses, such as "out_loss".
  std::vector<std::string> names() const;

  // Whether an output has a loss.
  bool has_losses() const;

  // Returns the part of a replica that has `batch` of the `global_rows` examples on
  // all replicas. Penalties count once over all replicas. A scalar 0 if there is no
  // loss. REQUIRES: replica context. Errors: InvalidArgument if labels or weights do
  // not fit the outputs, or there are no labels.
  LossPart operator()(const Batch& batch, const Structure& predictions,
                      const std::vector<Tensor>& penalties,
                      int64_t global_rows) const;

 private:
  void AddLosses(const Batch& batch, const Structure& predictions,
                 int64_t global_rows, LossPart& part) const;
  bool has_one_loss() const;

  std::vector<OutputLoss> outputs_;
};

// Returns one tensor per output. Errors: InvalidArgument, which names `what`, if
// there are not `outputs` tensors.
std::vector<Tensor> ForOutputs(const Structure& structure, size_t outputs,
                               const char* what);

// Returns the sample weights of each output: one tensor per output, or the same for
// all outputs, or nullopt. Errors: InvalidArgument for another number of tensors.
std::vector<std::optional<Tensor>> WeightsForOutputs(const Batch& batch,
                                                     size_t outputs);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_LOSSES_H_
