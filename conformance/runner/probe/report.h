// The report of the probe for the author of a testee:
//
//   It declares itself
//     ok     minimal: Minimal 1, from python, on CPU
//     WRONG  first/name: at $.seq: 0, but the program came with 1
//            said   {"seq": 0, "observations": {"y": [[1], [2]]}}
//            next   copy seq from the command; answer each program once
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PROBE_REPORT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PROBE_REPORT_H_

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct Mistake {
  std::string what;    // what is wrong, and where
  std::string advice;  // what to do next
};
using Mistakes = std::vector<Mistake>;

// The line and the stderr of the process at a mistake.
struct Evidence {
  std::optional<std::string> said = {};  // the line that is wrong
  std::string stderr_tail = {};
};

// Prints the report, and counts right and wrong results.
class ProbeReport {
 public:
  explicit ProbeReport(std::ostream& out) : out_(out) {}

  void Section(std::string_view title);
  void Right(std::string_view text);
  void Note(std::string_view text);
  // `where`: the exchange, "start" or the id of a case.
  void Wrong(std::string_view where, const Mistake& mistake,
             const Evidence& evidence = {});
  // Prints a whole message; `arrow` is its direction.
  void Message(std::string_view arrow, std::string_view line);
  void Close();

  int wrong() const { return wrong_; }

 private:
  void Write(std::string_view label, std::string_view text);
  void Detail(std::string_view label, std::string_view text);

  std::ostream& out_;
  int right_ = 0;
  int wrong_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PROBE_REPORT_H_
