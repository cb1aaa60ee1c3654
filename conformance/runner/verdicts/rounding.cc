#include "conformance/runner/verdicts/rounding.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "conformance/runner/cases/moved_inputs.h"

namespace lockstep {
namespace {

// Rounding errors add up over the operations of a training, each of which
// rounds by up to half a unit in either direction: like a random walk, 256 of
// them add up to 8 units.
constexpr double kFactor = 8;

using NumberPair = std::function<void(const std::string& entry, double number,
                                      double other_number)>;

// Calls `pair` for all pairs of corresponding numbers; false if the forms
// differ.
bool ForEachPair(const Json& value, const Json& other, const std::string& entry,
                 const NumberPair& pair) {
  if (value.is_number() && other.is_number()) {
    pair(entry, value.get<double>(), other.get<double>());
    return true;
  }
  if (value.type() != other.type()) return false;
  if (!value.is_structured()) return value == other;
  if (value.size() != other.size()) return false;
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) {
      if (!ForEachPair(value[i], other[i], entry, pair)) return false;
    }
    return true;
  }
  for (const auto& [key, item] : value.items()) {
    if (!other.contains(key) ||
        !ForEachPair(item, other[key], entry + "." + key, pair)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Rounding::Rounding(const Json& other)
    : other_(other), moved_(LargestByEntry(other)) {
  for (auto& [entry, most] : moved_) most *= kRoundingUnit;
}

bool Rounding::Add(const Json& moved) {
  return ForEachPair(
      moved, other_, "",
      [&](const std::string& entry, double number, double other_number) {
        double& most = moved_[entry];
        most = std::max(most, std::abs(number - other_number));
      });
}

Difference Rounding::Diff(const Json& observed) const {
  return DiffWithin(other_, observed,
                    [&](const std::string& entry) { return AllowedOf(entry); });
}

Json Rounding::ToJson() const {
  Json json = Json::object();
  for (const auto& [entry, most] : moved_) json[entry] = AllowedOf(entry);
  return json;
}

double Rounding::AllowedOf(const std::string& entry) const {
  const auto found = moved_.find(entry);
  return found == moved_.end() ? 0 : kFactor * found->second;
}

}  // namespace lockstep
