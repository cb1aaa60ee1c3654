// How ranks that cannot see each other's memory agree on a collective: each
// sends a description of its call to every other, in messages of a fixed size.
//
//   Agreement agreement(mesh);
//   const auto refused = agreement.Negotiate({.operation = Operation::kBarrier},
//                                       false, deadline, stall_timeout);
//   agreement.Recycle();                        // before the next one
//   if (refused) throw *refused;             // on all ranks
//
// Receives for the next messages are always posted, so one hop is enough.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_AGREEMENT_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_AGREEMENT_H_

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/collectives/group.h"
#include "reference/collectives/mesh/call_message.h"
#include "reference/collectives/mesh/mesh.h"
#include "reference/collectives/mesh/tensor_transfer.h"

namespace lockstep::collectives_internal {

// How long a rank waits for another that has come and then sends nothing.
// Calling it returns the deadline of a wait that begins now.
struct StallTimeout {
  std::chrono::milliseconds limit;
  Deadline operator()() const {
    return std::chrono::steady_clock::now() + limit;
  }
};

// A rank's arguments to a collective.
struct Call {
  Operation operation = Operation::kBarrier;
  int parameter = 0;  // op or root
  // The tensors as bytes that can be sent, and their specs.
  TensorList encoded = {};
  std::vector<SentSpec> specs = {};
  // Why this rank cannot take part: all ranks get it.
  std::optional<Error> error = std::nullopt;
};

class Agreement {
 public:
  // Errors: those of the mesh.
  explicit Agreement(Mesh& mesh);

  // Exchanges calls with all other ranks. Returns an error that all ranks get
  // and may continue after: FailedPrecondition "workers disagree", the lowest
  // rank's own, InvalidArgument if `same_specs` is set and lists differ.
  // Errors: FailedPrecondition if a rank has left; DataLoss; those of the mesh.
  std::optional<Error> Negotiate(const Call& call, bool same_specs,
                                 Deadline deadline, StallTimeout stall_timeout);

  // Whether the rank's tensors came with its message. If all ranks have the
  // same specs, this is true for all or for none.
  bool PayloadInside(int rank) const;
  // The tensors in that rank's message, each at the beginning of a unit.
  const std::byte* Payload(int rank);

  // The specs of each of `ranks`, empty for the others. REQUIRES: all ranks
  // call it with the same `ranks`.
  std::vector<std::vector<SentSpec>> Specs(const std::vector<int>& ranks,
                                           StallTimeout stall_timeout);

  // Errors: DataLoss if the specs do not have the size in the rank's header.
  void CheckPayload(int rank, const std::vector<SentSpec>& specs) const;

  // Posts this collective's buffers again, for the one after the next. Also
  // called after an error that all continue after.
  void Recycle();
  // Notifies the others that this rank is done, and waits up to `limit` for
  // their messages, so that they can read what it sent.
  void Leave(std::chrono::milliseconds limit);

 private:
  // Memory of one collective's messages. Two are used in turn.
  struct MessageBuffers {
    CallMessage mine;
    std::vector<CallMessage> theirs;
    std::vector<std::unique_ptr<Transfer>> coming;
  };

  CallMessage& MessageOf(int rank);
  void Post(MessageBuffers& buffers, int turn);
  void SendAll(Deadline deadline);
  void ReadHeaders();
  void CheckAllPresent();
  std::optional<Error> Disagreement() const;
  std::optional<Error> OwnErrors();
  std::optional<Error> DifferentSpecs(StallTimeout stall_timeout);
  void SendDescription(const std::shared_ptr<std::string>& text,
                       Transfers& transfers);

  Mesh& mesh_;
  std::array<MessageBuffers, 2> buffers_;
  int turn_ = 0;
  std::string description_;  // ours, of this collective
  std::vector<CallHeader> headers_;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_AGREEMENT_H_
