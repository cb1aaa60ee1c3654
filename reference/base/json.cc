#include "reference/base/json.h"

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

// The parser itself is iterative, but takes any depth, and of a field that
// stands twice the last.
class JsonGuard {
 public:
  JsonGuard(std::string_view origin, int deepest)
      : origin_(origin), deepest_(deepest) {}

  // `depth`: how many lists and objects are open around the event.
  void Check(int depth, Json::parse_event_t event, const Json& parsed) {
    const bool is_object = event == Json::parse_event_t::object_start;
    if (is_object || event == Json::parse_event_t::array_start)
      CheckDepth(depth);
    if (is_object) fields_.emplace_back();
    if (event == Json::parse_event_t::object_end) fields_.pop_back();
    if (event == Json::parse_event_t::key) {
      AddField(parsed.get_ref<const std::string&>());
    }
  }

 private:
  void CheckDepth(int depth) const {
    if (depth >= deepest_) {
      throw InvalidArgument("[ParseJson] {}: nested deeper than {} levels",
                            origin_, deepest_);
    }
  }

  void AddField(const std::string& name) {
    if (!fields_.back().insert(name).second) {
      throw InvalidArgument(
          "[ParseJson] {}: the field '{}' stands in one object twice", origin_,
          name);
    }
    if (fields_.back().size() > kMostJsonFields) {
      throw InvalidArgument("[ParseJson] {}: an object has more than {} fields",
                            origin_, kMostJsonFields);
    }
  }

  const std::string_view origin_;
  const int deepest_;
  std::vector<std::set<std::string>> fields_;  // of the objects that are open
};

// The parser quotes what it read, which may be all of the text.
std::string Shortened(std::string_view what) {
  constexpr size_t kLongest = 300;
  if (what.size() <= kLongest) return std::string(what);
  return std::string(what.substr(0, kLongest)) + "...";
}

}  // namespace

Json ParseJson(std::string_view text, std::string_view origin, int deepest) {
  JsonGuard guard(origin, deepest);
  const auto check = [&](int depth, Json::parse_event_t event,
                         const Json& parsed) {
    guard.Check(depth, event, parsed);
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::exception& e) {
    throw InvalidArgument("[ParseJson] {} is no JSON: {}", origin,
                          Shortened(e.what()));
  }
}

std::optional<int64_t> IntegerIn(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  // Those without a sign are of a type of their own.
  const bool is_beyond =
      value.is_number_unsigned() &&
      value.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()};
  if (is_beyond) return std::nullopt;
  return value.get<int64_t>();
}

Json ReadJsonFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw NotFound("[ReadJsonFile] cannot open {}", path);
  std::ostringstream text;
  text << file.rdbuf();
  return ParseJson(text.str(), path);
}

}  // namespace lockstep
