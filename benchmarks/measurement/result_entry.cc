#include "benchmarks/measurement/result_entry.h"

#include "reference/base/error.h"

namespace lockstep::benchmarks {
namespace {

void CheckPart(std::string_view what, std::string_view text,
               std::string_view forbidden) {
  if (text.empty() || text.find_first_of(forbidden) != text.npos) {
    throw InvalidArgument(
        "[EntryName] {} '{}' must have text without any of '{}'", what, text,
        forbidden);
  }
}

}  // namespace

EntryName::EntryName(std::string_view path) : name_(path) {
  CheckPart("path", path, " :");
}

EntryName& EntryName::With(std::string_view label, std::string_view value) {
  CheckPart("label", label, " /:");
  CheckPart("value", value, " /:");
  name_ += fmt::format("/{}:{}", label, value);
  return *this;
}

EntryName& EntryName::With(std::string_view label, int64_t value) {
  return With(label, std::to_string(value));
}

}  // namespace lockstep::benchmarks
