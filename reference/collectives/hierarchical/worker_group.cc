#include "reference/collectives/hierarchical/worker_group.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "reference/base/trace.h"
#include "reference/tensor/text_bytes.h"

namespace lockstep {
namespace {

// A worker's report: code (-1 for success), parameter and operation, as in "-1
// 0 AllGather"; after a newline, the error's message.
struct Status {
  int code = -1;
  int parameter = 0;
  std::string operation;
  std::string message;
};

Tensor ToTensor(const WorkerGroup::Call& call,
                const std::optional<Error>& failed) {
  const std::string text = fmt::format(
      "{} {} {}\n{}", failed ? static_cast<int>(failed->code()) : -1,
      call.parameter, call.operation, failed ? failed->what() : "");
  return BytesOf(text);
}

[[noreturn]] void FailStatus(const std::string& text) {
  throw FailedPrecondition(
      "[Collective] workers disagree: wanted a status of a code, a "
      "parameter and an operation, got '{}'; do all run the same program?",
      text);
}

// Removes a number and the blank after it from `text`.
int TakeNumber(std::string_view& text, const std::string& whole) {
  int number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ') {
    FailStatus(whole);
  }
  text.remove_prefix(end + 1 - text.data());
  return number;
}

Status ToStatus(const TensorList& list) {
  if (list.empty() || list[0].dtype() != DType::kUInt8) FailStatus("");
  const std::string whole = TextOf(list[0]);
  std::string_view text = whole;
  Status status;
  status.code = TakeNumber(text, whole);
  status.parameter = TakeNumber(text, whole);
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) FailStatus(whole);
  status.operation = text.substr(0, end);
  status.message = text.substr(end + 1);
  return status;
}

// Throws the error that all workers agree on: the lowest worker's failure, or
// that they call different operations.
void CheckStatuses(const std::vector<TensorList>& all) {
  std::vector<Status> statuses;
  for (const TensorList& list : all) statuses.push_back(ToStatus(list));
  for (const Status& status : statuses) {
    if (status.code < 0) continue;
    throw Error(static_cast<Code>(status.code), status.message);
  }
  for (size_t worker = 1; worker < statuses.size(); ++worker) {
    const Status& mine = statuses[worker];
    if (mine.operation == statuses[0].operation &&
        mine.parameter == statuses[0].parameter) {
      continue;
    }
    throw FailedPrecondition(
        "[Collective] workers disagree: worker 0 calls {}({}), worker {} calls "
        "{}({})",
        statuses[0].operation, statuses[0].parameter, worker, mine.operation,
        mine.parameter);
  }
}

// All workers of a group get these errors and may continue.
bool ReachesAllWorkers(const Error& error) {
  return error.code() == Code::kFailedPrecondition ||
         error.code() == Code::kInvalidArgument;
}

// Calls `local`. Returns its error, as a value that can be sent.
std::optional<Error> FailureOf(const std::function<TensorList()>& local,
                               TensorList& result) {
  try {
    result = local();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return Internal("[Collective] {}", error.what());
  }
}

}  // namespace

void WorkerGroup::Check() const {
  if (control_) control_->Check();  // the cause, where the group has Cancelled
  group_->Check();
}

CollectiveOptions WorkerGroup::OptionsFor(const Call& call) const {
  CollectiveOptions options = call.options;
  if (timeout_) {
    options.deadline = std::min(options.deadline,
                                std::chrono::steady_clock::now() + *timeout_);
  }
  return options;
}

std::vector<TensorList> WorkerGroup::AllGather(
    const Call& call, const std::function<TensorList()>& local) {
  const TraceScope quiet(nullptr);  // the caller's span covers all of it
  TensorList mine;
  const std::optional<Error> failed = FailureOf(local, mine);
  if (failed) mine.clear();
  mine.insert(mine.begin(), ToTensor(call, failed));
  std::vector<TensorList> all;
  try {
    all = group_->AllGather(mine, OptionsFor(call)).Wait();
  } catch (const Error& error) {
    if (error.code() == Code::kCancelled) Check();
    if (ReachesAllWorkers(error)) AgreeOnFailure(call, failed);
    throw;
  }
  CheckStatuses(all);
  for (TensorList& list : all) list.erase(list.begin());
  return all;
}

void WorkerGroup::Run(
    const Call& call, const std::optional<Error>& failed,
    const std::function<void(Group&, const CollectiveOptions&)>& across) {
  const TraceScope quiet(nullptr);
  if (failed && !ReachesAllWorkers(*failed) &&
      failed->code() != Code::kDeadlineExceeded) {
    Abort();
    throw *failed;
  }
  try {
    // No other caller uses Barrier, so the others detect a mismatch.
    if (failed) {
      group_->Barrier(OptionsFor(call));
    } else {
      return across(*group_, OptionsFor(call));
    }
  } catch (const Error& error) {
    if (error.code() == Code::kCancelled) Check();
    if (!ReachesAllWorkers(error)) throw;
    AgreeOnFailure(call, failed);
    throw;
  } catch (...) {
    Abort();
    throw;
  }
  AgreeOnFailure(call, failed);  // all have failed before
}

// Returns only if all workers called the same operation and none has failed.
void WorkerGroup::AgreeOnFailure(const Call& call,
                                 const std::optional<Error>& failed) {
  try {
    CheckStatuses(
        group_->AllGather({ToTensor(call, failed)}, OptionsFor(call)).Wait());
  } catch (const Error& error) {
    if (failed) throw *failed;
    throw;
  }
}

}  // namespace lockstep
