// A mesh of Gloo's unbound buffers.
//
// Gloo wakes who waits for a message when it has come, when its sender's
// connection has ended, or when told to (abortWait). A rank that gives up first
// tells the others why, by a message that each of them has a thread waiting
// for, and wakes its own waits then; its connections end with the mesh. A limit
// of Gloo's own would end them at once, and look as if this rank had died: so
// deadlines are an alarm's.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_MESH_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_MESH_H_

#include <gloo/context.h>
#include <gloo/transport/unbound_buffer.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "reference/base/threads.h"
#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/gloo/alarm.h"
#include "reference/collectives/mesh/mesh.h"

namespace lockstep::collectives_internal {

class GlooMesh final : public Mesh {
 public:
  // REQUIRES: the control plane outlives it.
  GlooMesh(std::shared_ptr<gloo::Context> context, ControlPlane& control);
  ~GlooMesh() override;

  int rank() const override { return context_->rank; }
  int size() const override { return context_->size; }
  std::string_view algorithm() const override { return "GlooAllReduce"; }
  std::unique_ptr<Transfer> Send(int to, int channel, const void* data,
                                 size_t bytes) override;
  std::unique_ptr<Transfer> Receive(int from, int channel, void* data,
                                    size_t capacity) override;
  void GiveUp(const Error& why) override;
  void CollectiveDone() override;
  void Check() const override;

  // For transfers. A wait begins and ends; at most one at a time.
  class Waiter {
   public:
    virtual ~Waiter() = default;
    virtual void Wake() = 0;  // a wait that is, or one that begins later
  };
  void BeginWait(Waiter& waiter, int peer, Deadline deadline);
  void EndWait();
  // An error of Gloo's in what was exchanged with `peer`.
  [[noreturn]] void Fail(int peer, const std::string& text);

 private:
  struct Reason {
    Error error;
    bool of_a_rank;
  };
  // Why a rank gives up, and how many collectives it had done by then.
  struct Notice {
    int64_t done = 0;
    Code code = Code::kInternal;
    std::array<char, 1000> text = {};
  };

  [[noreturn]] static void Throw(const Reason& reason);
  // The first who gives up: whether this is it.
  bool Claim();
  void SetReason(const Error& why, bool of_a_rank);
  void Tell(const Error& why);
  // Takes a notice where it is due.
  void Heed(const Notice& notice);
  void WatchForNotices();

  const std::shared_ptr<gloo::Context> context_;
  const ControlPlane& control_;
  mutable std::mutex mutex_;
  std::condition_variable given_up_;
  bool claimed_ = false;  // somebody gives up
  std::optional<Reason> reason_;
  int64_t done_ = 0;  // collectives
  std::optional<Notice> early_;
  Waiter* waiter_ = nullptr;
  std::optional<std::chrono::steady_clock::time_point> told_;
  Notice sent_notice_;
  Notice received_notice_;
  std::unique_ptr<gloo::transport::UnboundBuffer> notices_out_;
  std::unique_ptr<gloo::transport::UnboundBuffer> notices_in_;
  bool stopping_ = false;
  Alarm alarm_;
  std::unique_ptr<ThreadGroup> watcher_;
  std::unique_ptr<ControlPlane::Watch> watch_;  // first to end
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_MESH_H_
