#include "conformance/runner/readable_text.h"

#include "reference/base/json.h"

namespace lockstep {

std::string ReadableText(std::string_view text) {
  const std::string quoted =
      Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(quoted).get<std::string>();
}

std::string ReadableExcerpt(std::string_view text) {
  constexpr size_t kLongest = 120;
  if (text.size() <= kLongest) return ReadableText(text);
  return ReadableText(text.substr(0, kLongest)) + "...";
}

}  // namespace lockstep
