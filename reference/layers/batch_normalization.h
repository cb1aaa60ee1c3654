// Normalizes each channel (of the last axis or another) to mean 0 and variance 1,
// then scales and shifts it: Ioffe and Szegedy, "Batch normalization", 2015.
// Keras' names and defaults.
//
//   BatchNormalization norm;
//   norm(images, /*training=*/true);    // by the moments of this batch
//   norm(images);                       // by the moving moments
//
// In training, moving = moving * momentum + batch * (1 - momentum), with the
// variance over all rows (not one less). An empty batch does not change them.
// Under a strategy each replica normalizes by the moments of its own part of the
// batch and updates its own copy of the moving moments (ON_READ, MEAN): across
// replicas, and in a checkpoint, they are the mean of the copies. With
// `synchronized` all replicas use the moments of the whole batch, which costs
// a small all-reduce per call, and one for the gradient (on GPUs two each);
// replicas then train as one does.
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
      -1;  // of the channels; negative axes count from the end; other axes
           // than the last are moved to the end and back
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
  std::string name = "";  // "batch_normalization", ... by default
};

class BatchNormalizationImpl : public TensorLayerImpl {
 public:
  explicit BatchNormalizationImpl(const BatchNormalizationOptions& options);

  // Errors: InvalidArgument for less than two axes, a channel axis that does
  // not exist or is the batch, or an unknown number of channels.
  Shape ComputeOutputShape(const Shape& input_shape) const override;
  // Fuses an addition and a ReLU.
  bool Fuses(const Epilogue& epilogue) const override;
  LayerConfig Config() const override;

 protected:
  void MakeWeights(const Shape& input_shape) override;
  Tensor Call(const Tensor& x, bool training) override;
  Tensor CallFused(const Tensor& x, bool training, const Epilogue& epilogue,
                   const Tensor& addend) override;

 private:
  // The axis of the channels, counted from 0. Errors: InvalidArgument.
  int AxisOf(const Shape& shape) const;
  // Checks that x matches the weights. Errors: InvalidArgument.
  void CheckInput(const Tensor& x) const;
  // For channels along any axis.
  Tensor NormalizeAlongAxis(const Tensor& x, bool training, bool relu,
                            const Tensor& addend);
  // For channels along the last axis. Converts narrow types to float32 and
  // back.
  Tensor NormalizeInFloat32(const Tensor& x, bool in_training, bool relu,
                            const Tensor& addend);
  Tensor Normalize(const Tensor& x, bool training, bool relu,
                   const Tensor& addend);
  VariablePtr AddMovingWeight(const std::string& name, const Shape& shape,
                              const Initializer& initializer);
  // Normalizes by the moments of all replicas' rows and updates the moving
  // moments, operation by operation: the kernel adds parts on the host only.
  Tensor NormalizeTogetherOnGpu(const Tensor& x);
  // The new value of a moving moment after a batch.
  Tensor Moved(const Variable& moving, const Tensor& batch) const;
  void Move(Variable& moving, const Tensor& batch) const;
  // Updates both unless `count`, the number of rows of all replicas, is 0. The
  // host does not wait for it.
  void MoveWhereOthersHaveRows(const Tensor& count, const Tensor& mean,
                               const Tensor& variance);

  BatchNormalizationOptions options_;
  VariablePtr gamma_;  // nullptr if there is none
  VariablePtr beta_;   // nullptr if there is none
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
