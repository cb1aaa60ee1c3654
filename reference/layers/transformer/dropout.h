// Leaves out part of what it is given, in training alone.
//
//   Dropout dropout(0.25);
//   dropout(x);                      // x
//   dropout(x, /*training=*/true);   // a quarter of it is 0, the rest x * 4 / 3
//
// Every call on every replica draws a mask of its own, which follows from three
// numbers: the layer's seed, how often this replica has called the layer, and
// which replica it is. The first two are a variable, int64 [2], that a
// checkpoint holds as `seed_generator/seed_generator_state`, as Keras 3 names
// its own; so a run that is resumed on as many replicas draws the masks that it
// would have drawn. It is none of the layer's weights: Keras writes it to no
// file of weights.
//
// The masks are not Keras' masks: its random numbers are another generator's.
#ifndef LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_DROPOUT_H_
#define LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_DROPOUT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "reference/autodiff/trackable.h"
#include "reference/autodiff/variable.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {

struct DropoutOptions {
  // By itself the next number that SetRandomSeed leads to.
  std::optional<int64_t> seed = std::nullopt;
  std::optional<DTypePolicy> dtype = std::nullopt;  // the global policy
  std::string name = "";  // "dropout", "dropout_1", ... by itself
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
  // The key of this call's mask; counts the call.
  uint64_t NextKey();

  double rate_;
  std::optional<int64_t> seed_;
  Trackable seed_generator_;
  VariablePtr state_;  // the seed, and how many calls there were
};

class Dropout : public Layer {
 public:
  // Errors: InvalidArgument for a rate outside [0, 1].
  explicit Dropout(double rate, const DropoutOptions& options = {})
      : Layer(std::make_shared<DropoutImpl>(rate, options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_DROPOUT_H_
