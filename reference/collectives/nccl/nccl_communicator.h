// The ranks of one process in a communicator of NCCL's.
//
//   NcclCommunicator communicator(*FindNccl(), 2, {{.rank = 0, .gpu = 0},
//                                 {.rank = 1, .gpu = 1}}, exchange);
//   // On a thread for each member m:
//   communicator.AllReduceSum(m, {{in, out, 1000, DType::kFloat32}}, stream);
//   // The work is in the stream; no thread waited for the GPU.
//
// No thread is left waiting. Until the GPU has completed a collective, a thread
// polls NCCL for asynchronous errors. An error, or a collective that does not
// end within the deadline, aborts the communicators of all members, which ends
// their work on the GPUs, and every later call throws the error:
//   - Unavailable: a rank, machine or link is lost;
//   - DeadlineExceeded: a rank did not come, or makes no progress;
//   - Internal: NCCL or CUDA failed.
// An aborted communicator stays aborted; make another one.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_COMMUNICATOR_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_COMMUNICATOR_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/collectives/nccl/nccl_api.h"

namespace lockstep {

// A thread that polls as long as it is needed.
//
//   PollingThread watch(10ms, [&] { return MoreToWatch(); });
//   watch.Wake();       // polls at once, and repeatedly until it returns false
class PollingThread {
 public:
  // `poll` must not throw; only this object's thread calls it. The destructor
  // waits for a poll in progress. Errors: ResourceExhausted if no thread can be
  // started.
  PollingThread(std::chrono::milliseconds interval, std::function<bool()> poll);
  PollingThread(const PollingThread&) = delete;
  PollingThread& operator=(const PollingThread&) = delete;

  void Wake();

 private:
  void Run();
  void Stop();

  const std::chrono::milliseconds interval_;
  const std::function<bool()> poll_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool awake_ = false;
  bool stop_ = false;
  ThreadGroup thread_;  // last: it uses all of the above
};

struct NcclMember {
  int rank = 0;
  int gpu = 0;  // physical
};

struct NcclOptions {
  // For making the communicator.
  std::chrono::milliseconds connect_limit{600'000};
  // For each collective.
  std::chrono::milliseconds deadline{600'000};
  std::chrono::milliseconds poll_interval{20};
};

// One array of a collective; `in` may be `out`.
struct NcclTransfer {
  const void* in = nullptr;
  void* out = nullptr;
  int64_t count = 0;
  DType dtype = DType::kFloat32;
};

class NcclCommunicator {
 public:
  using Clock = std::chrono::steady_clock;

  // Errors: as above; InvalidArgument for no members, a rank outside 0 ..
  // world_size - 1 or repeated, or two members on one GPU if NCCL does not
  // allow it (CheckRankPlacement). REQUIRES: `api` outlives this object.
  NcclCommunicator(NcclApi& api, int world_size,
                   const std::vector<NcclMember>& members,
                   NcclIdExchange& exchange, const NcclOptions& options = {});
  // Completes the work in progress, within the deadline.
  ~NcclCommunicator();

  int members() const { return static_cast<int>(members_.size()); }

  // `member` is an index into this process's ranks. All ranks call it with the
  // same counts and types in the same order; nothing may use the memory until
  // the stream has completed the work. For a mean, divide afterwards: NCCL's
  // own average may multiply by 1/n first, which rounds differently.
  void AllReduceSum(int member, std::span<const NcclTransfer> transfers,
                    NcclStream stream);

  // A graph with captured collectives of the member was queued in `stream`. It
  // must end within the deadline, like a collective.
  void Watch(int member, NcclStream stream);

  // Aborts the communicator with `error`, unless it is aborted already. Any
  // thread may call it.
  void Abort(const Error& error) noexcept { Fail(error); }
  // Throws the error with which the communicator was aborted, if it was.
  void Check() const;
  // Looks for errors, and for collectives that should have ended by `now`.
  // Returns whether any is still in progress. The watching thread calls it.
  bool Poll(Clock::time_point now) noexcept;

 private:
  struct Work {
    const char* operation;
    Clock::time_point begun;
    std::unique_ptr<NcclEvent> end;
  };
  struct Member : NcclMember {
    std::mutex mutex;  // no two calls on one communicator at once
    NcclComm comm = nullptr;
    std::deque<Work> works;
  };

  void Connect(NcclIdExchange& exchange);
  void Start(const NcclUniqueId& id);
  void Issue(const char* operation, Member& member,
             std::span<const NcclTransfer> transfers, NcclStream stream);
  void WaitUntilReady(const char* operation, Member& member,
                      std::chrono::milliseconds limit);
  void Track(const char* operation, Member& member, NcclStream stream);
  std::optional<Error> Inspect(Member& member, Clock::time_point now);
  void Fail(const Error& error) noexcept;
  void Close() noexcept;

  NcclApi& api_;
  const int world_size_;
  const NcclOptions options_;
  std::vector<std::unique_ptr<Member>> members_;
  mutable std::mutex failure_mutex_;
  std::optional<Error> failure_;
  std::unique_ptr<PollingThread> watch_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_COMMUNICATOR_H_
