#include "reference/collectives/nccl/nccl_communicator.h"

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "reference/collectives/nccl/nccl_api.h"

namespace lockstep {

PollingThread::PollingThread(std::chrono::milliseconds interval,
                             std::function<bool()> poll)
    : interval_(interval),
      poll_(std::move(poll)),
      thread_(
          "PollingThread", 1, [this](int) { Run(); }, [this] { Stop(); }) {}

void PollingThread::Stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
}

void PollingThread::Wake() {
  {
    std::lock_guard lock(mutex_);
    awake_ = true;
  }
  changed_.notify_all();
}

void PollingThread::Run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    changed_.wait(lock, [&] { return awake_ || stop_; });
    if (stop_) return;
    awake_ = false;  // a Wake during the poll counts again
    lock.unlock();
    const bool more = poll_();
    lock.lock();
    awake_ |= more;
    changed_.wait_for(lock, interval_, [&] { return stop_; });
  }
}

namespace {

constexpr char kName[] = "NcclCommunicator";
// The pause between polls of a call that NCCL is still making.
constexpr std::chrono::microseconds kPause{20};

void CheckRanks(int world_size, const std::vector<NcclMember>& members) {
  if (members.empty()) throw InvalidArgument("[{}] there are no ranks", kName);
  std::set<int> seen;
  for (const NcclMember& member : members) {
    const bool inside = member.rank >= 0 && member.rank < world_size;
    if (inside && seen.insert(member.rank).second) continue;
    throw InvalidArgument(
        "[{}] wanted each rank of 0 .. {} at most once, got rank {}{}", kName,
        world_size - 1, member.rank, inside ? " twice" : "");
  }
}

Error Overdue(const char* operation, int rank,
              std::chrono::milliseconds deadline) {
  return DeadlineExceeded(
      "[{}] rank {}: not done within {} ms; a rank did not come or hangs",
      operation, rank, deadline.count());
}

}  // namespace

NcclCommunicator::NcclCommunicator(NcclApi& api, int world_size,
                                   const std::vector<NcclMember>& members,
                                   NcclIdExchange& exchange,
                                   const NcclOptions& options)
    : api_(api), world_size_(world_size), options_(options) {
  CheckRanks(world_size, members);
  std::vector<int> gpus;
  for (const NcclMember& member : members) {
    gpus.push_back(member.gpu);
    members_.push_back(std::make_unique<Member>());
    static_cast<NcclMember&>(*members_.back()) = member;
  }
  CheckRankPlacement(gpus, {.version = api.Version(),
                            .multi_rank_gpu = NcclMultiRankGpuEnabled()});
  Connect(exchange);
  watch_ = std::make_unique<PollingThread>(
      options_.poll_interval, [this] { return Poll(Clock::now()); });
}

NcclCommunicator::~NcclCommunicator() {
  watch_.reset();
  Close();
}

void NcclCommunicator::Connect(NcclIdExchange& exchange) {
  const bool root = std::ranges::any_of(
      members_, [](const auto& member) { return member->rank == 0; });
  const auto make = [this] {
    NcclUniqueId id;
    CheckNccl(kName, api_.GetUniqueId(&id), api_.LastError(nullptr));
    return id;
  };
  const NcclUniqueId id = exchange.Exchange(root, make, options_.connect_limit);
  try {
    Start(id);
    for (const auto& member : members_) {
      WaitUntilReady(kName, *member, options_.connect_limit);
    }
  } catch (const Error& error) {
    Fail(error);
    throw;
  }
}

void NcclCommunicator::Start(const NcclUniqueId& id) {
  CheckNccl(kName, api_.GroupStart());
  NcclStatus failed = NcclStatus::kSuccess;
  for (const auto& member : members_) {
    const NcclStatus status = api_.InitRank(&member->comm, world_size_, id,
                                            member->rank, member->gpu);
    if (IsNcclFailure(status) && !IsNcclFailure(failed)) failed = status;
  }
  const NcclStatus ended = api_.GroupEnd();  // also after a failure
  CheckNccl(kName, failed, api_.LastError(nullptr));
  CheckNccl(kName, ended, api_.LastError(nullptr));
}

void NcclCommunicator::AllReduceSum(int member,
                                    std::span<const NcclTransfer> transfers,
                                    NcclStream stream) {
  static constexpr char kOperation[] = "AllReduce";  // outlives the work
  Check();
  try {
    Issue(kOperation, *members_[member], transfers, stream);
    WaitUntilReady(kOperation, *members_[member], options_.deadline);
    Track(kOperation, *members_[member], stream);
  } catch (const Error& error) {
    Fail(error);
    Check();  // throws the first error
  }
  watch_->Wake();
}

void NcclCommunicator::Issue(const char* operation, Member& member,
                             std::span<const NcclTransfer> transfers,
                             NcclStream stream) {
  std::lock_guard lock(member.mutex);
  if (member.comm == nullptr) Check();
  CheckNccl(operation, api_.GroupStart());
  NcclStatus failed = NcclStatus::kSuccess;
  for (const NcclTransfer& t : transfers) {
    const NcclStatus status =
        api_.AllReduceSum(t.in, t.out, t.count, t.dtype, member.comm, stream);
    if (IsNcclFailure(status) && !IsNcclFailure(failed)) failed = status;
  }
  const NcclStatus ended = api_.GroupEnd();  // also after a failure
  CheckNccl(operation, failed, api_.LastError(member.comm));
  CheckNccl(operation, ended, api_.LastError(member.comm));
}

void NcclCommunicator::WaitUntilReady(const char* operation, Member& member,
                                      std::chrono::milliseconds limit) {
  const Clock::time_point begun = Clock::now();
  while (true) {
    {
      std::lock_guard lock(member.mutex);
      if (member.comm == nullptr) return Check();  // aborted meanwhile
      NcclStatus status = NcclStatus::kSuccess;
      CheckNccl(operation, api_.GetAsyncError(member.comm, &status));
      CheckNccl(operation, status, api_.LastError(member.comm));
      if (status == NcclStatus::kSuccess) return;
    }
    if (Clock::now() - begun > limit) {
      throw Overdue(operation, member.rank, limit);
    }
    std::this_thread::sleep_for(kPause);
  }
}

void NcclCommunicator::Track(const char* operation, Member& member,
                             NcclStream stream) {
  std::lock_guard lock(member.mutex);
  if (member.comm == nullptr) return Check();
  auto end = api_.Record(member.gpu, stream);
  if (end == nullptr) return;
  member.works.push_back({operation, Clock::now(), std::move(end)});
}

void NcclCommunicator::Watch(int member, NcclStream stream) {
  Check();
  Track("StepGraph", *members_[member], stream);
  watch_->Wake();
}

void NcclCommunicator::Check() const {
  std::lock_guard lock(failure_mutex_);
  if (failure_) throw *failure_;
}

bool NcclCommunicator::Poll(Clock::time_point now) noexcept {
  bool more = false;
  std::optional<Error> error;
  for (const auto& member : members_) {
    std::lock_guard lock(member->mutex);
    if (member->comm == nullptr) return false;
    if (!error) error = Inspect(*member, now);
    more |= !member->works.empty();
  }
  if (error) Fail(*error);
  return more && !error;
}

std::optional<Error> NcclCommunicator::Inspect(Member& member,
                                               Clock::time_point now) {
  while (!member.works.empty() && member.works.front().end->Done()) {
    member.works.pop_front();
  }
  const char* operation =
      member.works.empty() ? kName : member.works.front().operation;
  NcclStatus status = NcclStatus::kSuccess;
  const NcclStatus asked = api_.GetAsyncError(member.comm, &status);
  for (const NcclStatus failed : {asked, status}) {
    if (!IsNcclFailure(failed)) continue;
    return NcclFailure(operation, failed, api_.LastError(member.comm));
  }
  if (member.works.empty()) return std::nullopt;
  if (now - member.works.front().begun <= options_.deadline) {
    return std::nullopt;
  }
  return Overdue(operation, member.rank, options_.deadline);
}

void NcclCommunicator::Fail(const Error& error) noexcept {
  {
    std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = error;
  }
  for (const auto& member : members_) {
    std::lock_guard lock(member->mutex);
    // There is nothing to do if Abort fails.
    if (member->comm != nullptr) static_cast<void>(api_.Abort(member->comm));
    member->comm = nullptr;
    member->works.clear();
  }
}

void NcclCommunicator::Close() noexcept {
  // Begins all before waiting for any, since each ends when its peers do.
  for (const auto& member : members_) {
    if (member->comm != nullptr) {
      static_cast<void>(api_.Finalize(member->comm));
    }
  }
  for (const auto& member : members_) {
    if (member->comm == nullptr) continue;
    try {
      WaitUntilReady("Finalize", *member, options_.deadline);
      CheckNccl("Finalize", api_.Destroy(member->comm));
      member->comm = nullptr;
    } catch (const Error& error) {
      return Fail(error);  // aborts the rest
    }
  }
}

}  // namespace lockstep
