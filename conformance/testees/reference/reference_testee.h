// The reference implementation as a testee in the process of the runner.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_REFERENCE_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_REFERENCE_TESTEE_H_

#include <memory>
#include <optional>
#include <string>

#include "conformance/runner/testee.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/base/log.h"

namespace lockstep::conformance {

// The log of the running program; nullopt between programs.
using ProgramLog = std::shared_ptr<std::optional<LogCapture>>;

void AddLogSteps(StepTable& table, const ProgramLog& log);

class ReferenceTestee : public Testee {
 public:
  // Logical devices of `kind` replace the CPU devices of programs.
  // `shared_folder`, if not empty, has the files of all programs and workers;
  // otherwise each program has its own folder. Errors: NotFound, with the
  // reason, if there is no GPU.
  explicit ReferenceTestee(DeviceKind kind = DeviceKind::kCpu,
                           std::string shared_folder = "");

  const TesteeDeclaration& Start() override { return declaration_; }
  // Throws ProgramError for a program that operations.md does not allow.
  Answer Run(const Request& request) override;

  // The functions of the steps, which tests may wrap.
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
