#include "conformance/runner/verdicts/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "conformance/runner/text/readable_text.h"

namespace lockstep {
namespace {

struct Tolerance {
  double rtol = 0;
  double atol = 0;
  AllowedDifference of_entry = nullptr;  // instead
};

// Represents every double and every 64-bit integer exactly, so that the order
// of mixed numbers is a strict weak order.
using Number = long double;
static_assert(std::numeric_limits<Number>::digits >= 64);

Number NumberIn(const Json& value) {
  if (value.is_number_unsigned())
    return static_cast<Number>(value.get<uint64_t>());
  if (value.is_number_integer())
    return static_cast<Number>(value.get<int64_t>());
  return Number{value.get<double>()};
}

// The path of a value. There may be millions of values, so it is only formatted
// for a difference.
struct Place {
  const Place* around = nullptr;  // nullptr: this is the whole value
  const std::string* key = nullptr;
  size_t index = 0;  // where there is no key

  Place In(size_t i) const { return {.around = this, .index = i}; }
  Place In(const std::string& k) const { return {.around = this, .key = &k}; }
  // "[1].kernel[0]"
  std::string Path() const {
    if (around == nullptr) return "";
    return around->Path() +
           (key ? "." + *key : "[" + std::to_string(index) + "]");
  }
  // ".kernel" of it: without list indices.
  std::string Entry() const {
    if (around == nullptr) return "";
    return around->Entry() + (key ? "." + *key : "");
  }
};

double Allowed(const Tolerance& tolerance, double expected,
               const Place& place) {
  if (tolerance.of_entry) return tolerance.of_entry(place.Entry());
  return tolerance.atol + tolerance.rtol * std::abs(expected);
}

std::string Mismatch(const Place& place, const std::string& expected,
                     const std::string& observed) {
  const std::string path = place.Path();
  return fmt::format("{}expected {}, observed {}",
                     path.empty() ? "" : "at " + ReadableLine(path) + ": ",
                     ReadableLine(expected), ReadableLine(observed));
}

Difference DiffNumbers(const Json& expected, const Json& observed,
                       const Tolerance& tolerance, const Place& place) {
  if (NumberIn(expected) == NumberIn(observed)) return std::nullopt;
  const double e = expected.get<double>();
  const double off = std::abs(observed.get<double>() - e);
  const double allowed = Allowed(tolerance, e, place);
  if (allowed > 0 && off <= allowed) return std::nullopt;
  std::string text = Mismatch(place, expected.dump(), observed.dump());
  if (tolerance.of_entry && allowed > 0) {
    text +=
        fmt::format(", which is off by {:.2g} where rounding explains {:.2g}",
                    off, allowed);
  }
  return text;
}

Difference Diff(const Json& expected, const Json& observed,
                const Tolerance& tolerance, const Place& place);

Difference DiffLists(const Json& expected, const Json& observed,
                     const Tolerance& tolerance, const Place& place) {
  if (expected.size() != observed.size()) {
    return Mismatch(place, fmt::format("{} entries", expected.size()),
                    std::to_string(observed.size()));
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const Difference difference =
        Diff(expected[i], observed[i], tolerance, place.In(i));
    if (difference) return difference;
  }
  return std::nullopt;
}

Difference DiffObjects(const Json& expected, const Json& observed,
                       const Tolerance& tolerance, const Place& place) {
  for (const auto& [key, value] : expected.items()) {
    const Place inner = place.In(key);
    if (!observed.contains(key)) {
      return Mismatch(inner, value.dump(), "nothing");
    }
    const Difference difference = Diff(value, observed[key], tolerance, inner);
    if (difference) return difference;
  }
  for (const auto& [key, value] : observed.items()) {
    if (!expected.contains(key)) {
      return Mismatch(place.In(key), "nothing", value.dump());
    }
  }
  return std::nullopt;
}

Difference Diff(const Json& expected, const Json& observed,
                const Tolerance& tolerance, const Place& place) {
  if (expected.is_array() && observed.is_array()) {
    return DiffLists(expected, observed, tolerance, place);
  }
  if (expected.is_object() && observed.is_object()) {
    return DiffObjects(expected, observed, tolerance, place);
  }
  if (expected.is_number() && observed.is_number()) {
    return DiffNumbers(expected, observed, tolerance, place);
  }
  if (expected == observed) return std::nullopt;
  return Mismatch(place, expected.dump(), observed.dump());
}

void CollectLeaves(const Json& value, std::vector<Json>& leaves) {
  if (!value.is_structured()) return leaves.push_back(value);
  for (const Json& item : value) CollectLeaves(item, leaves);
}

std::string Readable(const Json& value) { return ReadableLine(value.dump()); }

// Orders numbers by value, then strings, then other leaves by their text. Does
// not format strings, of which there may be millions.
bool LeafLess(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return NumberIn(a) < NumberIn(b);
  if (a.is_number() != b.is_number()) return a.is_number();
  if (a.is_string() && b.is_string()) {
    return a.get_ref<const std::string&>() < b.get_ref<const std::string&>();
  }
  if (a.is_string() != b.is_string()) return a.is_string();
  return a.dump() < b.dump();
}

void CollectLargest(const Json& value, const std::string& entry,
                    NumberByEntry& largest) {
  if (value.is_number()) {
    double& most = largest[entry];
    most = std::max(most, std::abs(value.get<double>()));
  } else if (value.is_array()) {
    for (const Json& item : value) CollectLargest(item, entry, largest);
  } else if (value.is_object()) {
    for (const auto& [key, item] : value.items()) {
      CollectLargest(item, entry + "." + key, largest);
    }
  }
}

}  // namespace

NumberByEntry LargestByEntry(const Json& value) {
  NumberByEntry largest;
  CollectLargest(value, "", largest);
  return largest;
}

Difference DiffEquals(const Json& expected, const Json& observed) {
  return Diff(expected, observed, {}, {});
}

Difference DiffClose(const Json& expected, const Json& observed, double rtol,
                     double atol) {
  return Diff(expected, observed, {rtol, atol}, {});
}

Difference DiffWithin(const Json& expected, const Json& observed,
                      const AllowedDifference& allowed) {
  return Diff(expected, observed, {.of_entry = allowed}, {});
}

Difference DiffSameMultiset(const Json& expected, const Json& observed) {
  std::vector<Json> wanted = Leaves(expected);
  std::vector<Json> got = Leaves(observed);
  std::erase(got, nullptr);  // of replicas that took no part
  std::ranges::sort(wanted, LeafLess);
  std::ranges::sort(got, LeafLess);
  const auto [w, g] = std::ranges::mismatch(wanted, got);
  if (w == wanted.end() && g == got.end()) return std::nullopt;
  if (w == wanted.end() || (g != got.end() && LeafLess(*g, *w))) {
    return fmt::format("{} occurs more often than expected", Readable(*g));
  }
  return fmt::format("{} occurs less often than expected", Readable(*w));
}

Difference DiffMultipleOf(int64_t divisor, const Json& observed) {
  const std::vector<Json> leaves = Leaves(observed);
  if (leaves.empty()) return "there is no number";
  for (const Json& leaf : leaves) {
    const double value = leaf.is_number() ? leaf.get<double>() : std::nan("");
    if (!(std::fmod(value, static_cast<double>(divisor)) == 0)) {
      return fmt::format("{} is not a multiple of {}", Readable(leaf), divisor);
    }
  }
  return std::nullopt;
}

Difference DiffSameOnAllReplicas(const Json& observed, size_t replicas) {
  if (!observed.is_array() || observed.size() != replicas) {
    return fmt::format(
        "expected one entry for each of {} replicas, observed {}", replicas,
        Readable(observed));
  }
  for (size_t i = 1; i < observed.size(); ++i) {
    const Difference difference = DiffEquals(observed[0], observed[i]);
    if (difference) {
      return fmt::format("replica {} differs from replica 0: {}", i,
                         *difference);
    }
  }
  return std::nullopt;
}

Difference DiffSameOnAllReplicasInEachRound(const Json& observed,
                                            size_t replicas) {
  if (!observed.is_array() || observed.empty()) {
    return fmt::format("expected a list of rounds, observed {}",
                       Readable(observed));
  }
  for (size_t i = 0; i < observed.size(); ++i) {
    const Difference difference = DiffSameOnAllReplicas(observed[i], replicas);
    if (difference) return fmt::format("round {}: {}", i, *difference);
  }
  return std::nullopt;
}

Difference DiffEntriesDiffer(const Json& observed) {
  constexpr size_t kMaxEntries = 1000;  // each is compared with each
  if (!observed.is_array() || observed.size() < 2 ||
      observed.size() > kMaxEntries) {
    return fmt::format("expected a list of 2 to {} entries, observed {}",
                       kMaxEntries, Readable(observed));
  }
  for (size_t i = 1; i < observed.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!DiffEquals(observed[j], observed[i])) {
        return fmt::format("entries {} and {} are equal: {}", j, i,
                           Readable(observed[i]));
      }
    }
  }
  return std::nullopt;
}

std::vector<Json> Leaves(const Json& value) {
  std::vector<Json> leaves;
  CollectLeaves(value, leaves);
  return leaves;
}

}  // namespace lockstep
