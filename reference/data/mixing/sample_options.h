// How Dataset::SampleFromDatasets chooses.
#ifndef LOCKSTEP_REFERENCE_DATA_MIXING_SAMPLE_OPTIONS_H_
#define LOCKSTEP_REFERENCE_DATA_MIXING_SAMPLE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep {

struct SampleOptions {
  // How often each dataset is chosen, in proportion; empty: equally often.
  std::vector<float> weights = {};
  // The same seed gives the choices of tf.data, the same in each pass.
  std::optional<int64_t> seed = std::nullopt;
  // Ends with the first dataset that ends; else with the last one.
  bool stop_on_empty = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_MIXING_SAMPLE_OPTIONS_H_
