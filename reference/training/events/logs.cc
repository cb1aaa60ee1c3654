#include "reference/training/events/logs.h"

#include <fmt/core.h>

#include <algorithm>

#include "reference/base/error.h"

namespace lockstep {
namespace {

template <typename Items>
auto FindIn(Items& items, std::string_view name) {
  return std::ranges::find_if(
      items, [&](const auto& item) { return item.first == name; });
}

template <typename Items>
auto& ItemOf(Items& items, std::string_view name, const char* operation) {
  const auto found = FindIn(items, name);
  if (found != items.end()) return found->second;
  if (items.empty()) {
    throw NotFound("[{}] there is no '{}': no epoch was trained", operation,
                   name);
  }
  std::string names;
  for (const auto& item : items) {
    names += (names.empty() ? "" : ", ") + item.first;
  }
  throw NotFound("[{}] there is no '{}', only: {}", operation, name, names);
}

}  // namespace

double Logs::at(std::string_view name) const {
  return ItemOf(items_, name, "Logs");
}

std::optional<double> Logs::Find(std::string_view name) const {
  const auto found = FindIn(items_, name);
  if (found == items_.end()) return std::nullopt;
  return found->second;
}

void Logs::Set(std::string_view name, double value) {
  const auto found = FindIn(items_, name);
  if (found != items_.end()) {
    found->second = value;
  } else {
    items_.emplace_back(name, value);
  }
}

void Logs::Append(const Logs& other, std::string_view prefix) {
  for (const auto& [name, value] : other.items_) {
    Set(fmt::format("{}{}", prefix, name), value);
  }
}

const Logs& LazyLogs::Get() const {
  if (!logs_) logs_ = make_();
  return *logs_;
}

void History::Add(int epoch, const Logs& logs) {
  epochs_.push_back(epoch);
  for (const auto& [name, value] : logs.items()) {
    auto found = FindIn(values_, name);
    if (found == values_.end()) {
      found = values_.insert(values_.end(), {name, {}});
    }
    found->second.push_back(value);
  }
}

const std::vector<double>& History::operator[](std::string_view name) const {
  return ItemOf(values_, name, "History");
}

bool History::contains(std::string_view name) const {
  return FindIn(values_, name) != values_.end();
}

std::vector<std::string> History::names() const {
  std::vector<std::string> names;
  for (const auto& item : values_) names.push_back(item.first);
  return names;
}

}  // namespace lockstep
