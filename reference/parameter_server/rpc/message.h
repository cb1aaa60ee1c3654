// What processes of a parameter-server cluster send each other: the bytes of a
// protocol buffer, and tensors, which are not copied into it.
//
//   Message request{.head = question.SerializeAsString(), .tensors = {value}};
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_MESSAGE_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_MESSAGE_H_

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reference/base/error.h"
#include "reference/tensor/tensor.h"

namespace lockstep::rpc {

// The role of the process that runs the program, among callers.
inline constexpr char kCoordinatorRole[] = "coordinator";

struct Message {
  std::string head;
  std::vector<Tensor> tensors = {};  // on any device; may be undefined
};

// The other process is gone: it ended, was killed, stopped answering, or has
// been started again and lost its state. Always Code::kUnavailable.
class PeerLost : public Error {
 public:
  explicit PeerLost(const std::string& message)
      : Error(Code::kUnavailable, message) {}
};

// How a request ended. An Error that the other process answered has its code
// and message; one that is a PeerLost is about the other process itself.
class Outcome {
 public:
  Outcome(Message reply) : result_(std::move(reply)) {}  // NOLINT
  Outcome(const Error& error) : result_(error) {}        // NOLINT
  Outcome(const PeerLost& lost) : result_(lost) {}       // NOLINT

  bool ok() const { return std::holds_alternative<Message>(result_); }
  // The reply. Errors: throws the Error or PeerLost.
  Message Take() {
    if (const auto* lost = std::get_if<PeerLost>(&result_)) throw *lost;
    if (const auto* error = std::get_if<Error>(&result_)) throw *error;
    return std::move(std::get<Message>(result_));
  }

 private:
  std::variant<Message, Error, PeerLost> result_;
};

// Takes the outcome of a request.
using Done = std::function<void(Outcome outcome)>;

}  // namespace lockstep::rpc

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_MESSAGE_H_
