// The state of a layer that draws random numbers: a variable, int64 [2], of the
// seed and how often each replica has drawn.
//
//   SeedState state(/*seed=*/1);
//   TrackChild("seed_generator", state);   // in the layer's constructor
//   state.Build("dropout");                // in MakeWeights
//   const SeedState::Draws before = state.Advance("Dropout", 1);
//
// Checkpoints store it as `seed_generator_state`, so a resumed run continues. It
// is not one of the layer's weights, as in Keras.
#ifndef LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_SEED_STATE_H_
#define LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_SEED_STATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reference/autodiff/trackable.h"
#include "reference/autodiff/variable.h"

namespace lockstep {

class SeedState : public Trackable {
 public:
  struct Draws {
    uint64_t seed = 0;
    uint64_t count = 0;  // so far
  };

  // Default: the next number of the program's seed (SetRandomSeed).
  explicit SeedState(std::optional<int64_t> seed) : seed_(seed) {}

  std::optional<int64_t> seed() const { return seed_; }

  // Makes the variable. REQUIRES: called once, in cross-replica context.
  void Build(const std::string& layer);

  // Counts draws of the calling replica, and returns those before.
  Draws Advance(std::string_view operation, int64_t draws);

 protected:
  Draws Read() const;
  const VariablePtr& variable() const { return variable_; }

 private:
  std::optional<int64_t> seed_;
  VariablePtr variable_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_SEED_STATE_H_
