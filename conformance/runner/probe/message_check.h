// Reads lines of a testee, and explains what is wrong with a malformed message.
//
//   const MessageCheck check("conformance/schemas/pipe");
//   check.ReadReply(R"({"seq": 1, "error": {"class": "Oops", ...}})");
//   // Mistake{"at $.error.class: unknown error class 'Oops'",
//   //         "wanted: one of the error classes of operations.md"}
//
// The decoder of the protocol finds the mistakes; the schemas describe the
// fields.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PROBE_MESSAGE_CHECK_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PROBE_MESSAGE_CHECK_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/runner/pipe/protocol.h"
#include "conformance/runner/probe/report.h"

namespace lockstep {

inline constexpr const char* kOneLinePerMessage =
    "write each message as one line of JSON with a line end, and flush";
inline constexpr const char* kKeepStdoutClean =
    "print nothing but messages to stdout; redirect output of libraries to "
    "stderr (docs/protocol.md, 'Keep stdout clean')";

class MessageCheck {
 public:
  // Errors: NotFound; InvalidArgument for a schema that is not JSON.
  explicit MessageCheck(const std::string& folder);

  std::variant<TesteeDeclaration, Mistakes> ReadDeclaration(
      std::string_view line) const;
  std::variant<Reply, Mistakes> ReadReply(std::string_view line) const;

 private:
  Json declaration_schema_;
  Json reply_schema_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PROBE_MESSAGE_CHECK_H_
