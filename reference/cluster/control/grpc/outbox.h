// A queue of messages for a gRPC stream, which writes one at a time.
//
//   Outbox<FromChief> outbox([this](const FromChief* m) { StartWrite(m); });
//   outbox.Send(message);             // from any thread; never waits
//   void OnWriteDone(bool ok) { outbox.Written(ok); }
//   outbox.Close([this] { Finish(grpc::Status::OK); });   // after the last
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
  using Closed = std::function<void()>;

  // Calls `start` with a message that stays valid until it is written.
  explicit Outbox(StartWrite start) : start_(std::move(start)) {}
  // The thread that closed it may still be in Close.
  ~Outbox() { std::lock_guard lock(mutex_); }

  // Does nothing after Close or a failed write.
  void Send(Message message) {
    std::lock_guard lock(mutex_);
    if (closed_ || broken_) return;
    queue_.push_back(std::move(message));
    if (queue_.size() == 1) start_(&queue_.front());
  }

  // The stream has written the message or failed to.
  void Written(bool ok) {
    std::lock_guard lock(mutex_);
    queue_.pop_front();
    if (!ok) {
      broken_ = true;
      queue_.clear();
    }
    if (!queue_.empty()) {
      start_(&queue_.front());
    } else if (closed_) {
      closed_();
    }
  }

  // Calls `closed` when all messages are written. Only the first Close counts.
  void Close(Closed closed) {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    closed_ = std::move(closed);
    if (queue_.empty()) closed_();
  }

 private:
  std::mutex mutex_;
  const StartWrite start_;
  std::deque<Message> queue_;  // its front is being written
  Closed closed_;
  bool broken_ = false;
};

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_OUTBOX_H_
