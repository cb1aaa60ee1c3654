// Refuses a layer whose state differs between the workers of a strategy.
//
//   AgreedState agreed_;            // of the layer
//   ...
//   agreed_.Changed();              // after the state was replaced
//   agreed_.CheckInRun(name(), [&](const StateVisitor& visit) {
//     for (...) visit("word 1 is 'b'");
//   });
//
// The first call in Run after a change compares the workers' states; later ones
// cost nothing. Of a large state only hashes are sent, and one block of entries
// if they differ.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_AGREED_STATE_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_AGREED_STATE_H_

#include <functional>
#include <string>
#include <string_view>

namespace lockstep::preprocessing_internal {

// Receives the entries of a state in order, as text: "mean 0 is 2.5".
using StateVisitor = std::function<void(std::string_view entry)>;
using StateEntries = std::function<void(const StateVisitor& visit)>;

class AgreedState {
 public:
  // REQUIRES: no replica runs.
  void Changed() { agreed_ = false; }

  // Inside Run, all replicas of all workers call it together; elsewhere, and
  // with one worker, it does nothing. Errors: FailedPrecondition, on all
  // workers, with the first entry that differs.
  void CheckInRun(const std::string& layer, const StateEntries& entries) const;

 private:
  mutable bool agreed_ = false;  // written only while every replica waits
};

}  // namespace lockstep::preprocessing_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_AGREED_STATE_H_
