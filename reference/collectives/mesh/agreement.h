// How ranks that cannot see each other's memory agree on one collective: each
// sends every other what it brings, in messages of a size that all know.
//
//   Agreement agreement(mesh);
//   const auto refused = agreement.Negotiate({.operation = Operation::kBarrier},
//                                       false, deadline, stall_timeout);
//   agreement.Recycle();                        // before the next one
//   if (refused) throw *refused;             // on all ranks
//
// The next messages' memory is always waiting for them, so that one hop is
// enough.
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

// How long a rank waits for another that has come and then sends nothing;
// calling it gives the deadline of a wait that begins now.
struct StallTimeout {
  std::chrono::milliseconds limit;
  Deadline operator()() const {
    return std::chrono::steady_clock::now() + limit;
  }
};

// What a rank brings to a collective.
struct Call {
  Operation operation = Operation::kBarrier;
  int parameter = 0;  // op or root
  // Tensors that can be sent as they are, and what they are.
  TensorList encoded = {};
  std::vector<SentSpec> specs = {};
  // Why it cannot take part: all ranks get it.
  std::optional<Error> error = std::nullopt;
};

class Agreement {
 public:
  // Errors: those of the mesh.
  explicit Agreement(Mesh& mesh);

  // Exchanges calls with all other ranks. Returns the error that all ranks get
  // and may go on after: FailedPrecondition "workers disagree", the lowest
  // rank's own, InvalidArgument where `same_specs` is wanted and lists differ.
  // Errors: FailedPrecondition where a rank has left; DataLoss; those of the
  // mesh.
  std::optional<Error> Negotiate(const Call& call, bool same_specs,
                                 Deadline deadline, StallTimeout stall_timeout);

  // Whether the rank's tensors came with its message; where all have the same
  // specs that holds for all or for none.
  bool PayloadInside(int rank) const;
  // The tensors of that rank's message, each at the beginning of a unit.
  const std::byte* Payload(int rank);

  // What each of `ranks` brings, nothing for the others. REQUIRES: all ranks
  // ask for the same.
  std::vector<std::vector<SentSpec>> Specs(const std::vector<int>& ranks,
                                           StallTimeout stall_timeout);

  // Errors: DataLoss where these are not as large as the rank's header says.
  void CheckPayload(int rank, const std::vector<SentSpec>& specs) const;

  // Gives this collective's buffers to the messages of the one after the next;
  // also after an error that all go on after.
  void Recycle();
  // Tells the others that this rank is done, and waits until they are or have
  // had the time to read what it sent.
  void Leave(std::chrono::milliseconds limit);

 private:
  // Memory of one collective's messages; two of them take turns.
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
