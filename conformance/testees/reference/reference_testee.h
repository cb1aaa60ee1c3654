// The reference implementation as a testee in the runner's own process.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_REFERENCE_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_REFERENCE_TESTEE_H_

#include <memory>
#include <optional>
#include <string>

#include "conformance/runner/testee.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/base/log.h"

namespace lockstep::conformance {

// The log of the program that runs; none between two programs.
using ProgramLog = std::shared_ptr<std::optional<LogCapture>>;

void AddLogSteps(StepTable& table, const ProgramLog& log);

class ReferenceTestee : public Testee {
 public:
  // Programs' CPU devices stand for logical devices of this kind. A folder is
  // for the files of all programs, those of other workers; without one each
  // program has its own. Errors: NotFound where there is no GPU, with the
  // reason.
  explicit ReferenceTestee(DeviceKind kind = DeviceKind::kCpu,
                           std::string shared_folder = "");

  const TesteeDeclaration& Start() override { return declaration_; }
  // Errors: what is no answer, e.g. a program that operations.md forbids.
  Answer Run(const Request& request) override;

  // What it does a step by; who wraps one looks over its shoulder.
  StepTable& steps() { return table_; }

 private:
  TestedDevices devices_;
  const std::string shared_folder_;
  const ProgramLog log_ = std::make_shared<std::optional<LogCapture>>();
  StepTable table_;
  TesteeDeclaration declaration_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_REFERENCE_TESTEE_H_
