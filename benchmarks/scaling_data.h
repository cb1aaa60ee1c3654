// The images the scaling benchmark trains on.
#ifndef LOCKSTEP_BENCHMARKS_SCALING_DATA_H_
#define LOCKSTEP_BENCHMARKS_SCALING_DATA_H_

#include <string>

#include "datasets/image_data.h"

namespace lockstep::benchmarks {

struct ScalingData {
  ImageData images;    // scaled to [0, 1]
  std::string source;  // "full" or "embedded"
};

// "full": the published Fashion-MNIST; "embedded": the subset that comes with
// the project; "auto": full where it is at hand, else embedded.
// Errors: NotFound, naming the command that fetches it, when the full set was
// asked for and is not there; DataLoss when it is damaged (also for "auto").
ScalingData LoadScalingData(const std::string& which);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_SCALING_DATA_H_
