// Finds the workers that a program ends.
//
//   EndedWorkers(Json::parse(R"([{"step": "worker.end", "worker": 1}])"));   // {1}
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKER_STEPS_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKER_STEPS_H_

#include <set>

#include "reference/base/json.h"

namespace lockstep::conformance {

// The workers that a program, or a block of it, ends by worker.end.
std::set<int> EndedWorkers(const Json& program);

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKER_STEPS_H_
