// Limits on gradients, applied to the sum over replicas before an update.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_CLIP_GRADIENTS_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_CLIP_GRADIENTS_H_

#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep {

// Shortens each gradient whose length is above `norm` to it: (3, 4) at 1
// becomes (0.6, 0.8). The tensors are replaced, never written to.
void ClipByNorm(std::vector<Tensor>& gradients, double norm);

// The same with the length of all gradients together.
void ClipByGlobalNorm(std::vector<Tensor>& gradients, double norm);

// Moves elements outside [-value, value] to its ends; NaN stays NaN.
void ClipByValue(std::vector<Tensor>& gradients, double value);

// variable -= variable * factor, in place. REQUIRES: a unique float32 or
// float64 tensor.
void DecayWeights(Tensor& variable, double factor);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_CLIP_GRADIENTS_H_
