// What the testee has to know of the steps about one of several workers.
//
//   EndedWorkers(Json::parse(R"([{"step": "worker.end", "worker": 1}])"));   // {1}
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKER_STEPS_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKER_STEPS_H_

#include <set>

#include "reference/base/json.h"

namespace lockstep::conformance {

// The workers that a program ends by worker.end, in a block or outside.
std::set<int> EndedWorkers(const Json& program);

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKER_STEPS_H_
