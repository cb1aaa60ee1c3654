// The base of layers that change images [N, H, W, C] at random, in training
// only.
//
// Images become numbers of the compute type. Each call draws from the layer's
// own generator (seed_generator.h), on each replica from its own stream, and
// counts also if the batch is empty.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RANDOM_IMAGE_LAYER_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RANDOM_IMAGE_LAYER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "reference/layers/layer_impl.h"
#include "reference/preprocessing/random/seed_generator.h"

namespace lockstep {

struct RandomImageOptions {
  // Default: the next number of the program's seed (SetRandomSeed).
  std::optional<int64_t> seed = std::nullopt;
  std::optional<DTypePolicy> dtype =
      std::nullopt;       // default: the global policy
  std::string name = "";  // "random_flip", "random_flip_1", ... by default
};

class RandomImageLayerImpl : public TensorLayerImpl {
 public:
  // The shape of the images. Errors: InvalidArgument for other ranks than 4.
  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  // `class_name` leads messages, `keras_name` is the default name.
  RandomImageLayerImpl(const char* class_name, const char* keras_name,
                       const RandomImageOptions& options);

  void MakeWeights(const Shape& input_shape) override;
  // Errors: InvalidArgument for other ranks and strings; Unimplemented for
  // training on a GPU.
  Tensor Call(const Tensor& x, bool training) final;
  // Called with numbers of the compute type, on the host.
  virtual Tensor Transform(const Tensor& images) = 0;
  // Not in training.
  virtual Tensor Infer(const Tensor& images) const { return images; }

  const char* class_name() const { return class_name_; }
  SeedGenerator& generator() { return generator_; }
  // Adds the common options, after StartConfig.
  LayerConfig AddSeed(LayerConfig config) const;

 private:
  const char* class_name_;
  SeedGenerator generator_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RANDOM_IMAGE_LAYER_H_
