// A mesh of MPI's point-to-point messages.
//
// MPI wakes no thread: one that waits polls, with pauses that grow, whether its
// message has come, whether another rank has sent a notice that it gives up,
// whether the job has failed, and the clock. So every wait can end. A group has
// tags of its own: a message left over from a failed one matches no receive of
// the next.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_MESH_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_MESH_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/mesh/notifying_mesh.h"
#include "reference/collectives/mpi/mpi_session.h"

namespace lockstep::collectives_internal {

// Tags that a mesh uses, from the first on.
inline constexpr int kMpiMeshTags = 32;

struct MpiMembers {
  int worker = 0;
  std::vector<int> ranks = {};  // of MPI, by worker
  int first_tag = 0;
};

class MpiMesh final : public NotifyingMesh {
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

  // For transfers: waits for one with `peer`. Errors: those of the mesh.
  void Wait(MpiMessage& message, int peer, Deadline deadline);
  // Whether it is done by then, and the mesh has not failed.
  bool WaitUpTo(MpiMessage& message, Deadline deadline);
  MpiSession& session() { return session_; }

 private:
  struct Coming {
    std::shared_ptr<Notice> notice;
    MpiMessage message;
  };

  int Tag(int channel) const { return members_.first_tag + channel; }
  void Notify(const Notice& notice) override;
  void ReadNotices();
  [[noreturn]] void Fail(int peer, const Error& error);

  MpiSession& session_;
  const MpiMembers members_;
  std::vector<Coming> notices_;  // polled by the thread that waits
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_MESH_H_
