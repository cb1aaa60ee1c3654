// A scheduled call of a function, and where its result arrives.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_CLOSURE_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_CLOSURE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "reference/base/error.h"
#include "reference/tensor/nest.h"

namespace lockstep::coordinator_internal {

// The number of a value of which every worker has its own: an iterator, say.
struct ResourceId {
  int64_t value = 0;
  bool operator==(const ResourceId&) const = default;
};

// What travels to a worker. Functions cannot: they travel by name.
using Argument = std::variant<Structure, ResourceId>;

struct Call {
  std::string function = {};
  std::vector<Argument> arguments = {};
  std::map<std::string, Argument> named_arguments = {};
};

// A value that every worker makes for itself.
struct Resource {
  enum Kind { kValue, kDataset, kIterator };

  ResourceId id = {};
  Kind kind = kValue;
  Call call = {};           // of kValue and kDataset
  ResourceId dataset = {};  // of kIterator
};

// A result that arrives once.
//
//   auto result = std::make_shared<RemoteResult>();
//   result->Set(Tensor::Scalar(1.0f));         // on another thread
//   result->Wait().leaf().item<float>();       // 1
//
// Thread-safe. The first of Set and Fail counts.
class RemoteResult {
 public:
  void Set(Structure value) { Settle(std::move(value)); }
  void Fail(Error error) { Settle(std::move(error)); }

  bool ready() const { return state_.load() == kReady; }
  // Waits for the result. Errors: that of Fail.
  const Structure& Wait() const;

 private:
  enum State { kEmpty, kBeingSet, kReady };

  void Settle(std::variant<Structure, Error> outcome);

  std::atomic<State> state_{kEmpty};
  std::variant<Structure, Error> outcome_;
};

struct Closure {
  // Increases with each call that is scheduled; the same when it runs again.
  uint64_t number = 0;
  Call call = {};
  std::shared_ptr<RemoteResult> result = std::make_shared<RemoteResult>();
};

using ClosurePtr = std::shared_ptr<const Closure>;

}  // namespace lockstep::coordinator_internal

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_CLOSURE_H_
