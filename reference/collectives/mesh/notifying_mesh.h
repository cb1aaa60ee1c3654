// A mesh that keeps its failure and notifies the other ranks of it: the base
// class of the meshes of all libraries.
//
//   class MyMesh final : public NotifyingMesh { ... };   // Send, Receive, Notify
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_NOTIFYING_MESH_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_NOTIFYING_MESH_H_

#include <chrono>

#include "reference/base/error.h"
#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/mesh/mesh.h"
#include "reference/collectives/mesh/mesh_failure.h"

namespace lockstep::collectives_internal {

class NotifyingMesh : public Mesh {
 public:
  // REQUIRES: the control plane outlives it.
  explicit NotifyingMesh(ControlPlane& control) : failure_(control) {}

  void GiveUp(const Error& why) final {
    failure_.GiveUp(why, [this](const Notice& notice) { Notify(notice); });
  }
  void CollectiveDone() final { failure_.CollectiveDone(); }
  void Check() const final { failure_.Check(); }

 protected:
  using Notice = MeshFailure::Notice;

  // Sends the notice to all ranks that it can still reach; does not throw.
  virtual void Notify(const Notice& notice) = 0;

  // A transfer with another rank has failed: throws the mesh's error, or `why`
  // if no error becomes known soon.
  [[noreturn]] void FailWith(const Error& why) {
    constexpr std::chrono::milliseconds kLearnLimit(200);
    failure_.WaitUntilKnown(kLearnLimit);
    GiveUp(why);
    failure_.Rethrow();
  }

  MeshFailure& failure() { return failure_; }

 private:
  MeshFailure failure_;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_NOTIFYING_MESH_H_
