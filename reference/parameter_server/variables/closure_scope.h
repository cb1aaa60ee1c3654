// Numbers the updates of a scheduled function, so that a parameter server
// applies each once, however often the function is run again.
//
//   ClosureScope scope(ClosureNumber(17));   // around the function, on its thread
//   v->AssignAdd(delta);                     // update 0 of v in closure 17
//   v->AssignAdd(delta);                     // update 1 of v in closure 17
//
// When a worker is lost, another one runs closure 17 again; the updates that
// had been applied get the replies that they had, the others are applied.
// The coordinator's updates outside of closures have no number: they are sent
// once. A worker's are refused.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_CLOSURE_SCOPE_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_CLOSURE_SCOPE_H_

#include <cstdint>
#include <map>
#include <utility>

namespace lockstep {

// The coordinator numbers the functions that it schedules from 1 on; a function
// that is run again keeps its number.
using ClosureNumber = uint64_t;

// Scopes do not nest.
class ClosureScope {
 public:
  explicit ClosureScope(ClosureNumber closure);
  ~ClosureScope();
  ClosureScope(const ClosureScope&) = delete;
  ClosureScope& operator=(const ClosureScope&) = delete;

  // The calling thread's; nullptr outside of all.
  static ClosureScope* Current();

  ClosureNumber closure() const { return closure_; }
  // How many updates of this variable of a server there were before, and counts
  // one more.
  uint64_t NextUpdate(int server, uint64_t variable) {
    return updates_[{server, variable}]++;
  }
  // Does not count the last one: it was refused.
  void TakeBack(int server, uint64_t variable) {
    --updates_[{server, variable}];
  }

 private:
  const ClosureNumber closure_;
  std::map<std::pair<int, uint64_t>, uint64_t> updates_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_CLOSURE_SCOPE_H_
