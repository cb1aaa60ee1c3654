// Which cases of the catalogue give points to testees that do not deserve them:
// to those that do nothing (nulls.py), and to one replica where several are
// meant.
//
//   PassedByNull("zero_a_replica");   // {}, or the ids of cases that say too little
//
// Each may declare whichever value of a convention it likes: a case counts where
// it is passed with one of them. As the headline figures count, advice that is
// not taken costs no point.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_MINIATURES_PASSED_FOR_NOTHING_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_MINIATURES_PASSED_FOR_NOTHING_H_

#include <set>
#include <string>

namespace lockstep {

// By the testee of this name in nulls.py. Threads may call it at once.
std::set<std::string> PassedByNull(const std::string& name);

// Of the cases that are given several replicas: by the reference on one.
std::set<std::string> PassedByOneReplica();

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_MINIATURES_PASSED_FOR_NOTHING_H_
