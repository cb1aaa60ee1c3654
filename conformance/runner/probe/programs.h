// Small programs out of the cases, for the steps that a testee declares.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PROBE_PROGRAMS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PROBE_PROGRAMS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/runner/cases/case.h"

namespace lockstep {

struct ProbeProgram {
  std::string id;  // of its case
  Json given;      // with one replica count
  Json program;
};

// For who has only begun: no built-in case is as small.
std::vector<ProbeProgram> FirstPrograms();

// As the first run of a case is put to a testee.
ProbeProgram ProgramOf(const Case& conformance_case);

struct ChosenPrograms {
  std::vector<ProbeProgram> programs;
  std::vector<std::string> left_over;  // steps that none of them uses
};

// Short programs of one process and of declared steps only, which together use
// all these steps but those left over.
ChosenPrograms ChoosePrograms(std::vector<ProbeProgram> programs,
                              const std::vector<std::string>& declared);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PROBE_PROGRAMS_H_
