#include "reference/parameter_server/server/request_reader.h"

#include <utility>

#include "reference/base/error.h"

namespace lockstep::parameter_server {
namespace {

ObjectConfig::Value ValueOf(const Setting& setting) {
  switch (setting.value_case()) {
    case Setting::kFlag:
      return setting.flag();
    case Setting::kInteger:
      return setting.integer();
    case Setting::kNumber:
      return setting.number();
    case Setting::kText:
      return setting.text();
    case Setting::VALUE_NOT_SET:
      break;
  }
  return std::monostate();
}

ObjectConfig ReadRule(const Rule& rule) {
  ObjectConfig config{rule.class_name()};
  for (const Setting& setting : rule.settings()) {
    config.settings.emplace_back(setting.name(), ValueOf(setting));
  }
  return config;
}

// Tensors: the change's value and rows.
ValueChange ReadChange(const Change& change, std::span<const Tensor> tensors) {
  if (!Change::Kind_IsValid(change.kind())) {
    throw InvalidArgument("[Update] there is no kind {} of changes",
                          int{change.kind()});
  }
  ValueChange read{.variable = change.variable(),
                   .ordinal = change.ordinal(),
                   .kind = change.kind(),
                   .value = tensors[0],
                   .rows = tensors[1],
                   .wants_value = change.wants_value()};
  if (change.has_only_after()) read.only_after = change.only_after();
  return read;
}

// Tensors: learning rate, taken, and two per item.
ValueStep ReadStep(const Step& step, std::span<const Tensor> tensors) {
  ValueStep read{.rule = ReadRule(step.rule()),
                 .weight_decay = step.weight_decay(),
                 .learning_rate = tensors[0],
                 .taken = tensors[1],
                 .iterations = step.iterations()};
  if (step.counted_case() == Step::kCounterChange) {
    read.counter_change = step.counter_change();
  }
  for (int i = 0; i < step.items_size(); ++i) {
    const Item& item = step.items(i);
    read.items.push_back({.variable = item.variable(),
                          .ordinal = item.ordinal(),
                          .slots = {item.slots().begin(), item.slots().end()},
                          .gradient = tensors[2 + 2 * i],
                          .rows = tensors[3 + 2 * i]});
  }
  return read;
}

}  // namespace

Request ReadRequest(const std::string& head) {
  Request request;
  if (request.ParseFromString(head) &&
      request.asks_case() != Request::ASKS_NOT_SET) {
    return request;
  }
  throw InvalidArgument("[ParameterServer] {} bytes are not a request",
                        head.size());
}

ValueUpdate ReadUpdate(const Update& update, std::span<const Tensor> tensors) {
  const auto changes = static_cast<size_t>(update.changes_size());
  const auto items = static_cast<size_t>(update.step().items_size());
  CheckCount("Update", tensors,
             2 * changes + (update.has_step() ? 2 + 2 * items : 0));
  ValueUpdate read{.closure = update.closure()};
  for (size_t i = 0; i < changes; ++i) {
    read.changes.push_back(ReadChange(update.changes(static_cast<int>(i)),
                                      tensors.subspan(2 * i, 2)));
  }
  if (update.has_step()) {
    read.step = ReadStep(update.step(), tensors.subspan(2 * changes));
  }
  return read;
}

void CheckCount(const char* operation, std::span<const Tensor> tensors,
                size_t wanted) {
  if (tensors.size() == wanted) return;
  throw InvalidArgument("[{}] {} tensors are wanted, got {}", operation, wanted,
                        tensors.size());
}

}  // namespace lockstep::parameter_server
