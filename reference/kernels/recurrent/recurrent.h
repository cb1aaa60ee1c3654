// Recurrent layers over [batch, time, features]: all steps of one layer in one
// operation. The inputs come multiplied by their kernel already (one product
// for all steps), so that a step only multiplies its state.
//
// Sizes: N examples, T steps, U units. float32 or float64. The bits do not
// depend on the team's size. Errors of all: InvalidArgument for other types, and
// shapes that do not match; Unimplemented on a GPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_RECURRENT_RECURRENT_H_
#define LOCKSTEP_REFERENCE_KERNELS_RECURRENT_RECURRENT_H_

#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Gated recurrent units (Cho et al., arXiv 1406.1078) with the reset gate after
// the product, as Keras' reset_after and cuDNN:
//
//   [a_z a_r a_c] = projected[t], [b_z b_r b_c] = h recurrent + bias
//   z = sigmoid(a_z + b_z), r = sigmoid(a_r + b_r), c = tanh(a_c + r b_c)
//   h = z h + (1 - z) c
struct GruInputs {
  Tensor projected;  // [N, T, 3U]
  Tensor recurrent;  // [U, 3U]
  Tensor bias;       // [3U]
  Tensor initial;    // [N, U]: h before the first step
};

struct GruResult {
  Tensor y;      // [N, T, U]: h after each step
  Tensor gates;  // [N, T, 4U]: z, r, c, b_c, for the gradient
};

GruResult Gru(const GruInputs& inputs);

// The gradients of the inputs for `dy`, that of y.
GruInputs GruBackward(const GruInputs& inputs, const GruResult& result,
                      const Tensor& dy);

// Long short-term memory (Hochreiter and Schmidhuber, 1997), as Keras':
//
//   [i f g o] = projected[t] + h recurrent; sigmoid of i, f and o, tanh of g
//   c = f c + i g
//   h = o tanh(c)
struct LstmInputs {
  Tensor projected;  // [N, T, 4U]
  Tensor recurrent;  // [U, 4U]
  Tensor initial;    // [N, 2U]: h and c before the first step
};

struct LstmResult {
  Tensor states;  // [N, T, 2U]: h and c after each step
  Tensor gates;   // [N, T, 4U]: i, f, g, o, for the gradient
};

LstmResult Lstm(const LstmInputs& inputs);

// The gradients of the inputs for `dstates`, that of the states.
LstmInputs LstmBackward(const LstmInputs& inputs, const LstmResult& result,
                        const Tensor& dstates);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_RECURRENT_RECURRENT_H_
