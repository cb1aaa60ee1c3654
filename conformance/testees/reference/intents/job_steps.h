// A program that consists of jobs: each runs as a program of its own, with what
// earlier ones left in the folder.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_JOB_STEPS_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_JOB_STEPS_H_

#include <vector>

#include "conformance/runner/testee.h"

namespace lockstep::conformance {

// The requests that a request stands for, one after the other: itself, or one a
// job.run, which is given the job's replicas. What they observe is observed
// together. Errors: ProgramError for a program that has jobs and other steps, and
// for a job of more replicas than are given.
std::vector<Request> JobsOf(const Request& request);

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_JOB_STEPS_H_
