// Weights and batches that any language can make again, bit for bit: the same
// as benchmarks/peers/exact_fixture.py makes for TensorFlow.
//
// Every number is a byte scaled by a power of two, so float32 holds it exactly.
#ifndef LOCKSTEP_EXAMPLES_EXACT_FIXTURE_H_
#define LOCKSTEP_EXAMPLES_EXACT_FIXTURE_H_

#include <cstdint>

#include "reference/layers/layer.h"
#include "reference/tensor/nest.h"

namespace lockstep::examples {

// Byte `index` of an endless stream: stream 0 begins 167, 152, 69, 49.
uint8_t ExactByte(uint32_t stream, uint32_t index);

// Gives every weight of the model its exact value: variable v takes stream v,
// kernels between -scale and scale with a scale that shrinks with their size,
// biases 0. REQUIRES: built, no other thread uses it; the four weights a
// convolution and a dense layer make, twice, in the order of the document.
void SetExactWeights(const Layer& model);

// Images [size, 28, 28, 1] in [0, 1) and labels [size] of a step. Four batches
// come round again and again.
Structure ExactBatch(int64_t step, int64_t size);

}  // namespace lockstep::examples

#endif  // LOCKSTEP_EXAMPLES_EXACT_FIXTURE_H_
