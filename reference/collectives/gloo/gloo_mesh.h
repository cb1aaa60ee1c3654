// A mesh of Gloo's unbound buffers.
//
// Gloo wakes a thread that waits for a message when it has come, when its
// sender's connection has ended, or on abortWait. A rank that gives up first
// tells the others why, by a message that each of them has a thread waiting
// for, and wakes its own waits then; its connections end with the mesh. A limit
// of Gloo's own would end them at once, and look as if this rank had died: so
// deadlines are an alarm's.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_MESH_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_MESH_H_

#include <gloo/transport/unbound_buffer.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "reference/base/threads.h"
#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/gloo/alarm.h"
#include "reference/collectives/gloo/gloo_connection.h"
#include "reference/collectives/mesh/notifying_mesh.h"

namespace lockstep::collectives_internal {

class GlooMesh final : public NotifyingMesh {
 public:
  // REQUIRES: the control plane outlives it.
  GlooMesh(GlooContexts contexts, ControlPlane& control);
  ~GlooMesh() override;

  int rank() const override { return contexts_.rank(); }
  int size() const override { return contexts_.size(); }
  std::string_view algorithm() const override { return "GlooAllReduce"; }
  std::unique_ptr<Transfer> Send(int to, int channel,
                                 std::shared_ptr<const std::byte> data,
                                 size_t bytes) override;
  std::unique_ptr<Transfer> Receive(int from, int channel,
                                    std::shared_ptr<std::byte> memory,
                                    size_t capacity) override;

  // For transfers. A wait begins and ends; at most one at a time.
  void BeginWait(MeshFailure::Waiter& waiter, int peer, Deadline deadline);
  void EndWait();
  // An error of Gloo's in what was exchanged with `peer`.
  [[noreturn]] void Fail(int peer, const std::string& text);

 private:
  void Notify(const Notice& notice) override;
  void WatchForNotices();

  const GlooContexts contexts_;
  mutable std::mutex mutex_;
  std::optional<std::chrono::steady_clock::time_point> told_at_;
  Notice sent_notice_;
  Notice received_notice_;
  std::unique_ptr<gloo::transport::UnboundBuffer> notices_out_;
  std::unique_ptr<gloo::transport::UnboundBuffer> notices_in_;
  bool stopping_ = false;
  Alarm alarm_;
  std::unique_ptr<ThreadGroup> watcher_;  // first to end
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_MESH_H_
