// Names of layers and optimizers that were given none, as Keras makes them.
//
//   UniqueName("conv2d");   // "conv2d"
//   UniqueName("conv2d");   // "conv2d_1"
//   ClearSession();
//   UniqueName("conv2d");   // "conv2d"
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_UNIQUE_NAME_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_UNIQUE_NAME_H_

#include <string>

namespace lockstep {

// `base`, followed by how often it was asked for before. Thread-safe.
std::string UniqueName(const std::string& base);

// Starts all counts again.
void ClearSession();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_UNIQUE_NAME_H_
