// Chooses small programs of the cases, for the steps that a testee declares.
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

// Programs for a new testee, smaller than any built-in case.
std::vector<ProbeProgram> FirstPrograms();

// The program of the first run of a case.
ProbeProgram ProgramOf(const Case& conformance_case);

struct ChosenPrograms {
  std::vector<ProbeProgram> programs;
  std::vector<std::string> left_over;  // steps that none of them uses
};

// Chooses short programs with one worker and only declared steps, which
// together use all these steps except those left over.
ChosenPrograms ChoosePrograms(std::vector<ProbeProgram> programs,
                              const std::vector<std::string>& declared);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PROBE_PROGRAMS_H_
