// Sets part of its input to zero, in training only.
//
//   Dropout dropout(0.25);
//   dropout(x);                      // x
//   dropout(x, /*training=*/true);   // a quarter of it is 0, the rest x * 4 / 3
//
// Every call on every replica draws a different mask, determined by the layer's
// seed, the number of calls on this replica, and the replica's id. Checkpoints
// store the first two, like Keras 3 (seed_state.h). So a run that is resumed on
// the same number of replicas draws the same masks.
//
// The masks differ from Keras', which uses another generator.
#ifndef LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_DROPOUT_H_
#define LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_DROPOUT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"
#include "reference/layers/transformer/seed_state.h"

namespace lockstep {

struct DropoutOptions {
  // Default: the next number of the program's seed (SetRandomSeed).
  std::optional<int64_t> seed = std::nullopt;
  std::optional<DTypePolicy> dtype =
      std::nullopt;       // default: the global policy
  std::string name = "";  // "dropout", "dropout_1", ... by default
};

class DropoutImpl : public TensorLayerImpl {
 public:
  DropoutImpl(double rate, const DropoutOptions& options);

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  void MakeWeights(const Shape& input_shape) override;
  // Errors: Unimplemented for training on a GPU.
  Tensor Call(const Tensor& x, bool training) override;

 private:
  // Returns the key of this call's mask and counts the call.
  uint64_t NextKey();

  double rate_;
  SeedState seed_state_;  // counts calls
};

class Dropout : public Layer {
 public:
  // Errors: InvalidArgument for a rate outside [0, 1].
  explicit Dropout(double rate, const DropoutOptions& options = {})
      : Layer(std::make_shared<DropoutImpl>(rate, options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_DROPOUT_H_
