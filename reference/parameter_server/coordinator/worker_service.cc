#include "reference/parameter_server/coordinator/worker_service.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "reference/base/error.h"

namespace lockstep::coordinator_internal {

void WorkerService::RunUntilEnd() {
  while (const std::optional<Task> task = NextTask()) Perform(*task);
}

std::optional<WorkerService::Task> WorkerService::NextTask() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock,
                [&] { return !tasks_.empty() || (servers_gone_ && !stream_); });
  if (tasks_.empty()) return std::nullopt;
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

void WorkerService::ServersGone() {
  std::lock_guard lock(mutex_);
  servers_gone_ = true;
  changed_.notify_all();
}

void WorkerService::Joined(const rpc::Caller& caller) {
  if (caller.role != "coordinator") {
    throw FailedPrecondition(
        "[Serve] a worker serves the coordinator only, got '{}' {}",
        caller.role, caller.index);
  }
  std::lock_guard lock(mutex_);
  tasks_.clear();
  stream_ = caller.stream;
  lowest_epoch_ = 0;
}

void WorkerService::Left(const rpc::Caller& caller) {
  std::lock_guard lock(mutex_);
  if (stream_ != caller.stream) return;
  tasks_.clear();
  stream_.reset();
  changed_.notify_all();
}

void WorkerService::Handle(const rpc::Caller& caller, rpc::Message message,
                           rpc::Done answer) {
  Task task{RequestOf(message), std::move(answer)};
  if (const auto* recall = std::get_if<RecallRequest>(&task.request)) {
    RefuseBelow(recall->epoch);
    task.answer(rpc::Message{});
    return;
  }
  std::lock_guard lock(mutex_);
  if (stream_ != caller.stream) return;  // its answers would be dropped
  tasks_.push_back(std::move(task));
  if (tasks_.size() == 1) changed_.notify_one();
}

void WorkerService::Perform(const Task& task) {
  if (const auto* resource = std::get_if<Resource>(&task.request)) {
    program_.Make(*resource);
    task.answer(rpc::Message{});
  } else {
    PerformRun(std::get<RunRequest>(task.request), task.answer);
  }
}

void WorkerService::PerformRun(const RunRequest& run, const rpc::Done& answer) {
  if (IsRefused(run.epoch)) {
    answer(ToMessage(RunReply{.result = NotRun()}));
    return;
  }
  const RunReply reply = program_.Run(run.number, run.call);
  if (std::holds_alternative<Error>(reply.result)) RefuseBelow(run.epoch + 1);
  answer(ToMessage(reply));
}

bool WorkerService::IsRefused(uint64_t epoch) {
  std::lock_guard lock(mutex_);
  return epoch < lowest_epoch_;
}

void WorkerService::RefuseBelow(uint64_t epoch) {
  std::lock_guard lock(mutex_);
  lowest_epoch_ = std::max(lowest_epoch_, epoch);
}

}  // namespace lockstep::coordinator_internal
