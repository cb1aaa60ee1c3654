// Finds the names that a misspelled one was probably meant to be.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_TEXT_SIMILAR_NAMES_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_TEXT_SIMILAR_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// At most ten of `names`: those that contain `word` in their order; if there
// are none, those that differ from it in few letters, the closest first.
//
//   SimilarNames("pytorch", {"jax", "pytorch_ddp"});   // {"pytorch_ddp"}
//   SimilarNames("tensorflo", {"keras", "tensorflow"});   // {"tensorflow"}
//   SimilarNames("colours", {"keras"});                // {}
std::vector<std::string> SimilarNames(std::string_view word,
                                      const std::vector<std::string>& names);

// "", "; did you mean keras?", or "; did you mean one of a, b?".
std::string SuggestNames(std::string_view word,
                         const std::vector<std::string>& names);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_TEXT_SIMILAR_NAMES_H_
