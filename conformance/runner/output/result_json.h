// The results of a run for programs: schemas/results.schema.json.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_RESULT_JSON_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_RESULT_JSON_H_

#include "conformance/runner/output/suite_result.h"
#include "conformance/runner/sources.h"

namespace lockstep {

Json ToJson(const SuiteResult& suite, const Sources& sources);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_RESULT_JSON_H_
