// A fake NCCL for tests: returns what the test sets, and records calls.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_FAKE_NCCL_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_FAKE_NCCL_H_

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "reference/collectives/nccl/nccl_api.h"

namespace lockstep {

class FakeNccl : public NcclApi {
 public:
  // A communicator; its address is the handle.
  struct Comm {
    int rank = 0;
    int gpu = 0;
    int busy_polls = 0;  // how many asynchronous states are kInProgress first
    NcclStatus state = NcclStatus::kSuccess;
  };

  // The results of calls. Set before they are made.
  int version = 22809;
  NcclStatus id_status = NcclStatus::kSuccess;
  NcclStatus init_status = NcclStatus::kInProgress;
  NcclStatus call_status = NcclStatus::kSuccess;
  NcclStatus group_status = NcclStatus::kInProgress;
  int busy_polls = 3;  // of every call
  std::atomic<bool> events_done = true;
  std::atomic<bool> captured = false;

  // The calls so far.
  std::atomic<int> aborted = 0;
  std::atomic<int> destroyed = 0;
  std::vector<std::string> Calls() {
    std::lock_guard lock(mutex_);
    return calls_;
  }
  // Sets the state of rank `rank`'s communicator from now on.
  void SetState(int rank, NcclStatus state) {
    std::lock_guard lock(mutex_);
    for (Comm& comm : comms_) {
      if (comm.rank == rank) comm.state = state;
    }
  }

  int Version() override { return version; }
  NcclStatus GetUniqueId(NcclUniqueId* id) override {
    id->bytes[0] = 'i';
    return id_status;
  }
  std::string LastError(NcclComm) override { return "the detail"; }
  NcclStatus GroupStart() override { return Note("start"); }
  NcclStatus GroupEnd() override {
    Note("end");
    return group_status;
  }

  NcclStatus InitRank(NcclComm* comm, int, const NcclUniqueId&, int rank,
                      int gpu) override {
    std::lock_guard lock(mutex_);
    comms_.push_back({.rank = rank, .gpu = gpu, .busy_polls = busy_polls});
    *comm = &comms_.back();
    return init_status;
  }
  NcclStatus GetAsyncError(NcclComm comm, NcclStatus* error) override {
    std::lock_guard lock(mutex_);
    auto* mine = static_cast<Comm*>(comm);
    const bool busy = mine->busy_polls != 0;
    if (mine->busy_polls > 0) --mine->busy_polls;
    *error = busy ? NcclStatus::kInProgress : mine->state;
    return NcclStatus::kSuccess;
  }
  NcclStatus Finalize(NcclComm) override { return Note("finalize"); }
  NcclStatus Destroy(NcclComm) override {
    ++destroyed;
    return NcclStatus::kSuccess;
  }
  NcclStatus Abort(NcclComm) override {
    ++aborted;
    return NcclStatus::kSuccess;
  }

  NcclStatus AllReduceSum(const void*, void*, size_t count, DType dtype,
                          NcclComm comm, NcclStream) override {
    return Collective("sum", count, dtype, comm);
  }

  std::unique_ptr<NcclEvent> Record(int, NcclStream) override {
    if (captured) return nullptr;
    return std::make_unique<Event>(*this);
  }

 private:
  class Event : public NcclEvent {
   public:
    explicit Event(FakeNccl& nccl) : nccl_(nccl) {}
    bool Done() override { return nccl_.events_done; }

   private:
    FakeNccl& nccl_;
  };

  NcclStatus Note(std::string call) {
    std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
    return NcclStatus::kSuccess;
  }
  NcclStatus Collective(const std::string& name, size_t count, DType dtype,
                        NcclComm comm) {
    auto* mine = static_cast<Comm*>(comm);
    Note(name + " " + std::to_string(count) + " " +
         std::string(DTypeName(dtype)) + " rank " + std::to_string(mine->rank));
    std::lock_guard lock(mutex_);
    mine->busy_polls = busy_polls;
    return call_status;
  }

  std::mutex mutex_;
  std::deque<Comm> comms_;  // addresses stay
  std::vector<std::string> calls_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_FAKE_NCCL_H_
