#include "reference/base/json.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

using std::chrono::steady_clock;

// Shortens the parser's quotation, which may be the whole text.
std::string Shortened(std::string_view what) {
  constexpr size_t kLongest = 300;
  if (what.size() <= kLongest) return std::string(what);
  return std::string(what.substr(0, kLongest)) + "...";
}

// Builds a value from the parser's events. A list or an object is moved into
// its parent when it is complete, so nothing is copied. nlohmann-json's own
// builder searches all earlier items of a list after each object in it, and all
// fields of an object for each of its keys.
class JsonBuilder : public nlohmann::json_sax<Json> {
 public:
  JsonBuilder(std::string_view origin, int deepest,
              steady_clock::time_point deadline)
      : origin_(origin), deepest_(deepest), deadline_(deadline) {}

  Json TakeValue() { return std::move(value_); }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t&) override {
    return Add(value);
  }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t& value) override { return Add(std::move(value)); }

  bool start_object(size_t) override { return Open(); }
  bool start_array(size_t) override { return Open(); }

  bool key(string_t& name) override {
    Level& object = open_.back();
    object.names.push_back(std::move(name));
    if (object.names.size() > kMostJsonFields) {
      throw InvalidArgument("[ParseJson] {}: an object has more than {} fields",
                            origin_, kMostJsonFields);
    }
    return true;
  }

  bool end_array() override { return Add(Close().items); }

  bool end_object() override {
    Level object = Close();
    CheckNames(object.names);
    Json::object_t fields;
    fields.reserve(object.names.size());  // growing would copy
    for (size_t i = 0; i < object.names.size(); ++i) {
      fields.emplace_back(std::move(object.names[i]),
                          std::move(object.items[i]));
    }
    return Add(std::move(fields));
  }

  bool parse_error(size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    throw InvalidArgument("[ParseJson] {} is not JSON: {}", origin_,
                          Shortened(error.what()));
  }

 private:
  // An incomplete list or object.
  struct Level {
    std::vector<std::string> names;  // of an object
    Json::array_t items;
  };

  bool Open() {
    if (open_.size() >= static_cast<size_t>(deepest_)) {
      throw InvalidArgument("[ParseJson] {}: nested deeper than {} levels",
                            origin_, deepest_);
    }
    open_.emplace_back();
    return true;
  }

  Level Close() {
    Level level = std::move(open_.back());
    open_.pop_back();
    return level;
  }

  bool Add(Json value) {
    CheckDeadline();
    if (open_.empty()) {
      value_ = std::move(value);
    } else {
      open_.back().items.push_back(std::move(value));
    }
    return true;
  }

  void CheckNames(const std::vector<std::string>& names) const {
    std::vector<std::string_view> sorted(names.begin(), names.end());
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice == sorted.end()) return;
    throw InvalidArgument("[ParseJson] {}: duplicate field '{}'", origin_,
                          *twice);
  }

  void CheckDeadline() {
    constexpr int kValuesBetweenLooks = 1024;
    if (++values_ % kValuesBetweenLooks != 0) return;
    if (steady_clock::now() < deadline_) return;
    throw Error(Code::kDeadlineExceeded,
                "[ParseJson] " + std::string(origin_) +
                    ": not parsed before the deadline");
  }

  const std::string_view origin_;
  const int deepest_;
  const steady_clock::time_point deadline_;
  std::vector<Level> open_;
  int64_t values_ = 0;
  Json value_;
};

}  // namespace

Json ParseJsonBefore(std::string_view text, std::string_view origin,
                     int deepest, steady_clock::time_point deadline) {
  JsonBuilder builder(origin, deepest, deadline);
  Json::sax_parse(text, &builder);
  return builder.TakeValue();
}

Json ParseJson(std::string_view text, std::string_view origin, int deepest) {
  return ParseJsonBefore(text, origin, deepest,
                         std::chrono::steady_clock::time_point::max());
}

std::optional<int64_t> IntegerIn(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  // Unsigned integers have a separate type.
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
