// A custom layer with buffers.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_CENTERING_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_CENTERING_H_

#include <cstdint>
#include <string>

#include "reference/layers/layer_impl.h"

namespace lockstep::conformance {

// In training it is the identity, counts the examples and tracks their moving
// mean; otherwise it subtracts the mean. Each replica updates its own copies:
// read outside of a run, the count is their sum, and the moving mean their
// mean.
class CenteringImpl : public TensorLayerImpl {
 public:
  CenteringImpl(int64_t size, double momentum)
      : TensorLayerImpl(UniqueName("centering")),
        size_(size),
        momentum_(momentum) {}

  Shape ComputeOutputShape(const Shape& input_shape) const override {
    return input_shape;
  }

 protected:
  void MakeWeights(const Shape& input_shape) override;
  Tensor Call(const Tensor& x, bool training) override;

 private:
  VariablePtr AddNumbers(const std::string& name, const Shape& shape,
                         VariableAggregation aggregation);

  const int64_t size_;
  const double momentum_;
  VariablePtr seen_;
  VariablePtr moving_mean_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_CENTERING_H_
