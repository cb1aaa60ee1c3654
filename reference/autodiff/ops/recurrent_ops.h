// Recurrent layers as differentiable operations; formulas, shapes, types and
// errors as kernels/recurrent/recurrent.h.
//
//   ops::Gru({projected, recurrent, bias, initial});   // [N, T, U]
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_RECURRENT_OPS_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_RECURRENT_OPS_H_

#include "reference/kernels/recurrent/recurrent.h"
#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// The states after each step.
Tensor Gru(const kernels::GruInputs& inputs);

// The states after each step, [N, T, 2U]: h and c.
Tensor Lstm(const kernels::LstmInputs& inputs);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_RECURRENT_OPS_H_
