// The base of layers that compute with strings and numbers on the host and have
// no weights, as Hashing and StringLookup.
//
//   class HashingImpl : public HostLayer<TensorLayerImpl> {...};
//
// They need no batch axis, so that they also take the elements of a dataset
// before these are batched; floating inputs are not rounded to the compute
// type; and any thread may call them at any time, also one of a dataset while
// replicas run.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_HOST_LAYER_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_HOST_LAYER_H_

#include <string>

#include "reference/device/device.h"
#include "reference/layers/layer_impl.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// `Base` is TensorLayerImpl or LayerImpl.
template <typename Base>
class HostLayer : public Base {
 protected:
  // `keras_name` is the default name: "hashing", "hashing_1", ...
  HostLayer(const char* keras_name, const std::string& name)
      : Base(name.empty() ? UniqueName(keras_name) : name) {
    this->MarkBuilt();
  }

  Tensor CastInput(const Tensor& x) const override { return x; }
  bool TakesScalars() const override { return true; }
  // Numbers that were computed on the host, for the layers that follow.
  static Tensor OnCurrentDevice(const Tensor& x) {
    return x.dtype() == DType::kString ? x : x.To(Device::Current());
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_HOST_LAYER_H_
