#include "conformance/runner/probe/report.h"

#include <fmt/core.h>

#include <sstream>

#include "conformance/runner/text/readable_text.h"

namespace lockstep {

void ProbeReport::Section(std::string_view title) {
  out_ << "\n" << title << std::endl;
}

void ProbeReport::Right(std::string_view text) {
  ++right_;
  Write("ok", text);
}

void ProbeReport::Note(std::string_view text) { Write("note", text); }

void ProbeReport::Wrong(std::string_view where, const Mistake& mistake,
                        const Evidence& evidence) {
  ++wrong_;
  Write("WRONG", fmt::format("{}: {}", where, mistake.what));
  if (evidence.said) Detail("said", *evidence.said);
  std::istringstream lines(evidence.stderr_tail);
  std::string_view label = "stderr";
  for (std::string line; std::getline(lines, line); label = "") {
    Detail(label, line);
  }
  Detail("next", mistake.advice);
}

void ProbeReport::Message(std::string_view arrow, std::string_view line) {
  out_ << fmt::format("         {} {}", arrow, ReadableText(line)) << std::endl;
}

void ProbeReport::Close() {
  out_ << fmt::format("\n{} right, {} wrong", right_, wrong_) << std::endl;
}

// Flushes each line, so that a user who waits for a hung testee sees its
// progress.
void ProbeReport::Write(std::string_view label, std::string_view text) {
  out_ << fmt::format("  {:<6} {}", label, ReadableLine(text)) << std::endl;
}

void ProbeReport::Detail(std::string_view label, std::string_view text) {
  Write("", fmt::format("{:<6} {}", label, ReadableLine(text)));
}

}  // namespace lockstep
