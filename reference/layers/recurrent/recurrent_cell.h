// The weights of a recurrent layer, and its run through time.
#ifndef LOCKSTEP_REFERENCE_LAYERS_RECURRENT_RECURRENT_CELL_H_
#define LOCKSTEP_REFERENCE_LAYERS_RECURRENT_RECURRENT_CELL_H_

#include <cstdint>
#include <string>

#include "reference/layers/layer_impl.h"
#include "reference/layers/recurrent/recurrent.h"

namespace lockstep::layers_internal {

// From {x [N, T, F], states before the first step [N, S]} to the states after
// each step [N, T, S], S = U or, with h and c, 2U. At least in float32.
class RecurrentCellImpl : public LayerImpl {
 public:
  RecurrentCellImpl(RecurrentKind kind, int64_t units, const std::string& name,
                    const RecurrentOptions& options, const DTypePolicy& dtype);

  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;

 protected:
  void MakeWeights(const ShapeStructure& input_shapes) override;
  Structure Call(const Structure& inputs, bool training) override;

 private:
  int64_t gates() const { return kind_ == RecurrentKind::kGru ? 3 : 4; }
  // x times the kernel, and the bias of the inputs: [N, T, gates U].
  Tensor Projected(const Tensor& x, const Tensor& bias) const;
  Tensor CallGru(const Tensor& x, const Tensor& initial) const;
  Tensor CallLstm(const Tensor& x, const Tensor& initial) const;

  RecurrentKind kind_;
  int64_t units_;
  RecurrentOptions options_;
  VariablePtr kernel_;
  VariablePtr recurrent_kernel_;
  VariablePtr bias_;  // nullptr if there is none
};

}  // namespace lockstep::layers_internal

#endif  // LOCKSTEP_REFERENCE_LAYERS_RECURRENT_RECURRENT_CELL_H_
