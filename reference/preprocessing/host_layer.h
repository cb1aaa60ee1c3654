// The base of layers that compute with strings and numbers on the host and have
// no weights, as Hashing and StringLookup.
//
//   class HashingImpl : public HostLayer<TensorLayerImpl> {...};
//
// They need no batch axis, so that they also take the elements of a dataset
// before these are batched; floating inputs are not rounded to the compute
// type; and any thread may call them at any time, also one of a dataset while
// replicas run. Errors of calls, also: Unimplemented where host layers may not
// run (autodiff/host_layers.h), as in Run of a TPU pod.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_HOST_LAYER_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_HOST_LAYER_H_

#include <string>

#include "reference/autodiff/host_layers.h"
#include "reference/base/error.h"
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

  // Every input passes through it, before Call.
  Tensor CastInput(const Tensor& x) const override {
    CheckHostLayers();
    return x;
  }
  bool TakesScalars() const override { return true; }
  // Numbers that were computed on the host, for the layers that follow.
  static Tensor OnCurrentDevice(const Tensor& x) {
    return x.dtype() == DType::kString ? x : x.To(Device::Current());
  }

 private:
  void CheckHostLayers() const {
    if (HostLayersMayRun()) return;
    throw Unimplemented(
        "[{}] computes with strings or tables, which replicas on TPUs cannot; "
        "apply the layer in the dataset, with Map, before it is distributed",
        this->name());
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_HOST_LAYER_H_
