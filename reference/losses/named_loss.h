// Losses by the names Keras knows them by.
#ifndef LOCKSTEP_REFERENCE_LOSSES_NAMED_LOSS_H_
#define LOCKSTEP_REFERENCE_LOSSES_NAMED_LOSS_H_

#include <memory>
#include <string_view>

#include "reference/losses/loss.h"

namespace lockstep::losses {

// A loss with Keras' defaults: by its function's name, its class's, or short.
//
//   Named("sparse_categorical_crossentropy");   // of probabilities
//   Named("MeanSquaredError");
//   Named("mse");
//
// Errors: InvalidArgument, with the names there are.
std::shared_ptr<const Loss> Named(std::string_view name);

}  // namespace lockstep::losses

#endif  // LOCKSTEP_REFERENCE_LOSSES_NAMED_LOSS_H_
