// A mesh of MPI's point-to-point messages.
//
// Nobody is woken: who waits looks, with shorter and longer pauses, whether its
// message has come, whether another rank has said that it gives up, whether the
// control plane has heard of an end, and at the clock. So every wait can be
// left. A group has tags of its own: what is left of one that was given up
// meets nobody in the next.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_MESH_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_MESH_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/mesh/given_up.h"
#include "reference/collectives/mesh/mesh.h"
#include "reference/collectives/mpi/mpi_session.h"

namespace lockstep::collectives_internal {

// Tags that a mesh uses, from the first on.
inline constexpr int kMpiMeshTags = 32;

struct MpiMembers {
  int worker = 0;
  std::vector<int> ranks = {};  // of MPI, by worker
  int first_tag = 0;
};

class MpiMesh final : public Mesh {
 public:
  // REQUIRES: the control plane outlives it.
  MpiMesh(MpiSession& session, MpiMembers members, ControlPlane& control);
  ~MpiMesh() override;

  int rank() const override { return members_.worker; }
  int size() const override { return static_cast<int>(members_.ranks.size()); }
  std::string_view algorithm() const override { return "MpiAllReduce"; }
  std::unique_ptr<Transfer> Send(int to, int channel,
                                 std::shared_ptr<const std::byte> data,
                                 size_t bytes) override;
  std::unique_ptr<Transfer> Receive(int from, int channel,
                                    std::shared_ptr<std::byte> memory,
                                    size_t capacity) override;
  void GiveUp(const Error& why) override {
    given_up_.GiveUp(why, [this](const Notice& notice) { Tell(notice); });
  }
  void CollectiveDone() override { given_up_.CollectiveDone(); }
  void Check() const override { given_up_.Check(); }

  // For transfers: waits for one with `peer`. Errors: those of the mesh.
  void Wait(MpiMessage& message, int peer, Deadline deadline);
  // Whether it is done by then, and nobody has given up.
  bool Linger(MpiMessage& message, Deadline deadline);
  MpiSession& session() { return session_; }

 private:
  using Notice = GivenUp::Notice;
  struct Coming {
    std::shared_ptr<Notice> notice;
    MpiMessage message;
  };

  int Tag(int channel) const { return members_.first_tag + channel; }
  void Tell(const Notice& notice);
  void HeedNotices();
  [[noreturn]] void Fail(int peer, const Error& error);

  MpiSession& session_;
  const MpiMembers members_;
  std::vector<Coming> notices_;  // who waits looks at them
  GivenUp given_up_;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_MESH_H_
