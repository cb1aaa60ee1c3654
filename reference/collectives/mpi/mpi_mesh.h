// A mesh of MPI's point-to-point messages.
//
// MPI wakes no thread. A thread that waits polls, with growing pauses, its
// message, the other ranks' notices of failure, the job and the clock, so every
// wait ends. Each group uses other tags, so a message left over from a failed
// group matches no receive of the next.
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

// How many tags a mesh uses.
inline constexpr int kMpiMeshTags = 32;

struct MpiMembers {
  int worker = 0;
  std::vector<int> ranks = {};  // in MPI, by worker
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

  // For transfers: waits for a message from or to `peer`. Errors: those of the
  // mesh.
  void Wait(MpiMessage& message, int peer, Deadline deadline);
  // Whether it is done by the deadline and the mesh has not failed.
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
