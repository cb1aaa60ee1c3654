// Programs that consist of jobs: each job runs as a separate program, with the
// files of the earlier ones.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_JOB_STEPS_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_JOB_STEPS_H_

#include <vector>

#include "conformance/runner/testee.h"

namespace lockstep::conformance {

// The requests to run for a request, in order: itself, or one per job.run, with
// the replicas of the job. Their observations are merged. Errors: ProgramError
// for a program with jobs and other steps, and for a job with more replicas
// than are given.
std::vector<Request> JobsOf(const Request& request);

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_JOB_STEPS_H_
