// Messages queued for a gRPC callback stream, which allows one write at a time.
// Thread-safe.
//
//   Outbox<FromChief> outbox([this](const FromChief* m) { StartWrite(m); });
//   outbox.Send(message);   // from any thread; does not wait for the write
//   void OnWriteDone(bool ok) { outbox.Written(ok); }
//   // Finishes the stream after the last queued write:
//   outbox.Close([this] { Finish(grpc::Status::OK); });
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_OUTBOX_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_OUTBOX_H_

#include <deque>
#include <functional>
#include <mutex>
#include <utility>

namespace lockstep::control_internal {

template <typename Message>
class Outbox {
 public:
  using StartWrite = std::function<void(const Message*)>;
  using OnClosed = std::function<void()>;

  // `start` starts a write. The message is valid until Written. Both `start`
  // and the function given to Close run with the lock held: they must not call
  // this outbox and must not block.
  explicit Outbox(StartWrite start) : start_(std::move(start)) {}
  // The function given to Close may end the stream, whose OnDone may destroy
  // this outbox while Close or Written still holds the lock; waits for it.
  ~Outbox() { std::lock_guard lock(mutex_); }

  // Queues `message`, and starts writing it if no write is under way. Does
  // nothing after Close or a failed write.
  void Send(Message message) {
    std::lock_guard lock(mutex_);
    if (on_closed_ || broken_) return;
    queue_.push_back(std::move(message));
    if (queue_.size() == 1) start_(&queue_.front());
  }

  // To be called from OnWriteDone. Starts the next write. If not `ok`, drops
  // the queue and ignores later messages. REQUIRES: a write is under way.
  void Written(bool ok) {
    std::lock_guard lock(mutex_);
    queue_.pop_front();
    if (!ok) {
      broken_ = true;
      queue_.clear();
    }
    if (!queue_.empty()) {
      start_(&queue_.front());
    } else if (on_closed_) {
      on_closed_();
    }
  }

  // Calls `closed` once, when no write is under way and the queue is empty:
  // everything sent was written, or dropped after a failed write. Later calls
  // do nothing.
  void Close(OnClosed closed) {
    std::lock_guard lock(mutex_);
    if (on_closed_) return;
    on_closed_ = std::move(closed);
    if (queue_.empty()) on_closed_();
  }

 private:
  std::mutex mutex_;
  const StartWrite start_;
  std::deque<Message> queue_;  // its front is being written
  OnClosed on_closed_;         // set by Close
  bool broken_ = false;
};

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_OUTBOX_H_
