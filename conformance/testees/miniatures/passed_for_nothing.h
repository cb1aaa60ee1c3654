// Finds cases that score for testees that do nothing (nulls.py), and cases
// about several replicas that score for a single one.
//
//   PassedByNull("zero_a_replica");   // {}, or the ids of too weak cases
//
// A case counts if it is passed with any declared value of its conventions. As
// in the headline figures, a broken recommendation does not count against it.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_MINIATURES_PASSED_FOR_NOTHING_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_MINIATURES_PASSED_FOR_NOTHING_H_

#include <set>
#include <string>

namespace lockstep {

// The cases passed by the testee of this name in nulls.py. Thread-safe.
std::set<std::string> PassedByNull(const std::string& name);

// The cases with several replicas that the reference passes on one.
std::set<std::string> PassedByOneReplica();

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_MINIATURES_PASSED_FOR_NOTHING_H_
