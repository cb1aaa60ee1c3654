// Normalizes each channel (of the last axis, or another one) to mean 0 and variance 1, then scales and
// shifts it: Ioffe and Szegedy, "Batch normalization", 2015. Keras' names and
// defaults.
//
//   BatchNormalization norm;
//   norm(images, /*training=*/true);    // by the moments of this batch
//   norm(images);                       // by the moving ones
//
// In training moving = moving * momentum + batch * (1 - momentum), with the
// variance over all rows (not one less); an empty batch leaves them as they
// are. Under a strategy each replica normalizes by the moments of its own part
// of the batch, and moves its own copy of the moving ones (ON_READ, MEAN):
// across replicas, and in a checkpoint, they are the mean of the copies. With
// `synchronized` all replicas use the moments of the whole batch, at the price
// of two small all-reduces a call, and as many for the gradient; replicas then
// train as one does.
#ifndef LOCKSTEP_REFERENCE_LAYERS_BATCH_NORMALIZATION_H_
#define LOCKSTEP_REFERENCE_LAYERS_BATCH_NORMALIZATION_H_

#include <memory>
#include <string>

#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {

struct BatchNormalizationOptions {
  int axis =
      -1;  // of the channels, counted from the end when negative; 1 where
           // they come first: they are moved to the end and back
  double momentum = 0.99;
  double epsilon = 1e-3;
  bool center = true;  // has a beta
  bool scale = true;   // has a gamma
  bool synchronized = false;
  Initializer beta_initializer = initializers::Zeros();
  Initializer gamma_initializer = initializers::Ones();
  Initializer moving_mean_initializer = initializers::Zeros();
  Initializer moving_variance_initializer = initializers::Ones();
  RegularizerPtr beta_regularizer = nullptr;
  RegularizerPtr gamma_regularizer = nullptr;
  std::string name = "";  // "batch_normalization", ... by itself
};

class BatchNormalizationImpl : public TensorLayerImpl {
 public:
  explicit BatchNormalizationImpl(const BatchNormalizationOptions& options);

  // Errors: InvalidArgument for less than two axes, channels along none of them
  // or along that of the rows, or of unknown number.
  Shape ComputeOutputShape(const Shape& input_shape) const override;
  // An addition and a ReLU.
  bool Fuses(const Epilogue& epilogue) const override;
  LayerConfig Config() const override;

 protected:
  void MakeWeights(const Shape& input_shape) override;
  Tensor Call(const Tensor& x, bool training) override;
  Tensor CallFused(const Tensor& x, bool training, const Epilogue& epilogue,
                   const Tensor& addend) override;

 private:
  // Which axis of so many the channels are. Errors: InvalidArgument.
  int AxisOf(const Shape& shape) const;
  // What the weights fit. Errors: InvalidArgument.
  void CheckInput(const Tensor& x) const;
  // Of channels along any axis.
  Tensor NormalizeAlongAxis(const Tensor& x, bool training, bool relu,
                            const Tensor& addend);
  // Of channels along the last axis. Narrow types are widened first, and the
  // result is narrowed.
  Tensor NormalizeInFloat32(const Tensor& x, bool in_training, bool relu,
                            const Tensor& addend);
  Tensor Normalize(const Tensor& x, bool training, bool relu,
                   const Tensor& addend);
  VariablePtr AddMovingWeight(const std::string& name, const Shape& shape,
                              const Initializer& initializer);
  // By the moments of all replicas' rows, which move the moving ones.
  Tensor NormalizeTogether(const Tensor& x);
  // A moving value, moved towards that of a batch.
  Tensor Moved(const Variable& moving, const Tensor& batch) const;
  void Move(Variable& moving, const Tensor& batch) const;
  // Moves both unless `count`, of the rows of all replicas, is 0; the host
  // does not wait to know it.
  void MoveWhereOthersHaveRows(const Tensor& count, const Tensor& mean,
                               const Tensor& variance);

  BatchNormalizationOptions options_;
  VariablePtr gamma_;  // nullptr without one
  VariablePtr beta_;   // nullptr without one
  VariablePtr moving_mean_;
  VariablePtr moving_variance_;
};

class BatchNormalization : public Layer {
 public:
  // Errors: InvalidArgument for a momentum outside [0, 1] and a negative
  // epsilon.
  explicit BatchNormalization(const BatchNormalizationOptions& options = {})
      : Layer(std::make_shared<BatchNormalizationImpl>(options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_BATCH_NORMALIZATION_H_
