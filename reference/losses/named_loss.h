// Losses by their names in Keras.
#ifndef LOCKSTEP_REFERENCE_LOSSES_NAMED_LOSS_H_
#define LOCKSTEP_REFERENCE_LOSSES_NAMED_LOSS_H_

#include <memory>
#include <string_view>

#include "reference/losses/loss.h"

namespace lockstep::losses {

// A loss with Keras' defaults, by the name of its function or class, or its
// short name.
//
//   Named("sparse_categorical_crossentropy");   // of probabilities
//   Named("MeanSquaredError");
//   Named("mse");
//
// Errors: InvalidArgument, with a list of names.
std::shared_ptr<const Loss> Named(std::string_view name);

}  // namespace lockstep::losses

#endif  // LOCKSTEP_REFERENCE_LOSSES_NAMED_LOSS_H_
