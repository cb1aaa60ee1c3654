// A layer of a program's own, which keeps numbers beside its weights.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_CENTERING_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_CENTERING_H_

#include <cstdint>
#include <string>

#include "reference/layers/layer_impl.h"

namespace lockstep::conformance {

// In training hands on what it is given, counts the examples and follows their
// mean; in use takes the mean off. Each replica moves numbers of its own: read
// outside of a run they are the replicas' sum, and their mean.
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
