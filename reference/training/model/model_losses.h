// The losses of a model's outputs, as one loss of a batch that all replicas
// have parts of.
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

// What one output learns by.
struct OutputLoss {
  std::string output;
  std::shared_ptr<const losses::Loss> loss;  // nullptr: nothing
  double weight = 1;
};

// A replica's part of a loss: over all replicas they add up to that of the
// batch.
struct LossPart {
  Tensor learned;            // to differentiate
  Tensor told;               // as it is reported; the same but for kNone
  std::vector<Tensor> each;  // told of each output that has a loss
  // How much the batch counts in means over several, here and on all replicas, as
  // float32 scalars: its examples, or of an only loss that ignores labels those
  // that count.
  Tensor weight;
  Tensor global_weight;
};

class ModelLosses {
 public:
  // One entry an output, in order.
  explicit ModelLosses(std::vector<OutputLoss> outputs)
      : outputs_(std::move(outputs)) {}

  // "out_loss" of each output that has a loss.
  std::vector<std::string> names() const;

  // The part of a replica that has `batch` of the `global_rows` examples that
  // all have together; penalties are counted once over all replicas. A scalar
  // 0 without any loss. REQUIRES: replica context. Errors: InvalidArgument for
  // labels or weights that do not go with the outputs, and for no labels.
  LossPart operator()(const Batch& batch, const Structure& predictions,
                      const std::vector<Tensor>& penalties,
                      int64_t global_rows) const;

 private:
  void AddLosses(const Batch& batch, const Structure& predictions,
                 int64_t global_rows, LossPart& part) const;
  bool has_one_loss() const;

  std::vector<OutputLoss> outputs_;
};

// One tensor for each of `outputs` outputs. Errors: InvalidArgument, naming
// `what`, for another number.
std::vector<Tensor> ForOutputs(const Structure& structure, size_t outputs,
                               const char* what);

// The batch's sample weights: each output's own, or the only ones for all; none
// where it has none. Errors: InvalidArgument for another number.
std::vector<std::optional<Tensor>> WeightsForOutputs(const Batch& batch,
                                                     size_t outputs);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_LOSSES_H_
