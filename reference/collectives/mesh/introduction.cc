#include "reference/collectives/mesh/introduction.h"

#include <fmt/core.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "reference/cluster/environment.h"
#include "reference/collectives/mesh/call_message.h"

namespace lockstep::collectives_internal {
namespace {

// What workers must have in common to understand each other's messages.
std::string Dialect() {
  return fmt::format(
      "messages 1 of {} bytes, headers of {}, {} endian", kMessageBytes,
      sizeof(CallHeader),
      std::endian::native == std::endian::little ? "little" : "big");
}

void Append(std::string& text, std::string_view part) {
  const uint64_t length = part.size();
  text.append(reinterpret_cast<const char*>(&length), sizeof(length));
  text += part;
}

std::string Take(std::string_view operation, std::string_view& text) {
  uint64_t length = 0;
  if (text.size() >= sizeof(length)) {
    std::memcpy(&length, text.data(), sizeof(length));
    text.remove_prefix(sizeof(length));
  }
  if (length > text.size()) {
    throw DataLoss("[{}] a worker's introduction is truncated", operation);
  }
  const std::string part(text.substr(0, length));
  text.remove_prefix(length);
  return part;
}

// A worker's introduction: its dialect, its error's code and text, which are
// empty without an error, and its facts.
struct Received {
  std::string dialect;
  std::optional<Error> error;
  std::vector<std::string> facts;
};

std::string Write(const Introduction& mine) {
  std::string text;
  Append(text, Dialect());
  if (mine.error) {
    Append(text, fmt::format("{}", static_cast<int>(mine.error->code())));
    Append(text, mine.error->what());
  } else {
    Append(text, "");
    Append(text, "");
  }
  for (const std::string& fact : mine.facts) Append(text, fact);
  return text;
}

Received Read(std::string_view operation, std::string_view text) {
  Received received;
  received.dialect = Take(operation, text);
  const std::optional<int> code = NumberIn(Take(operation, text));
  const std::string why = Take(operation, text);
  if (code && *code <= static_cast<int>(Code::kInternal)) {
    received.error.emplace(static_cast<Code>(*code), why);
  }
  while (!text.empty()) received.facts.push_back(Take(operation, text));
  return received;
}

}  // namespace

std::vector<std::vector<std::string>> Introduce(ControlPlane& control,
                                                std::string_view operation,
                                                const Introduction& mine,
                                                Deadline deadline) {
  std::vector<Received> all;
  for (const std::string& text :
       control.Exchange(operation, Write(mine), deadline)) {
    all.push_back(Read(operation, text));
  }
  for (const Received& received : all) {
    if (received.error) throw Error(*received.error);
  }
  std::vector<std::vector<std::string>> facts;
  for (const Received& received : all) {
    if (received.dialect != all[0].dialect ||
        received.facts.size() != all[0].facts.size()) {
      throw FailedPrecondition(
          "[{}] worker 0 speaks '{}', worker {} '{}': all must run the same "
          "version",
          operation, all[0].dialect, facts.size(), received.dialect);
    }
    facts.push_back(received.facts);
  }
  return facts;
}

}  // namespace lockstep::collectives_internal
