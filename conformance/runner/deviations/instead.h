// What came instead of what a case expects: the part of a result that a list
// of deviations holds, and that has to stay the same.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_INSTEAD_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_INSTEAD_H_

#include "conformance/runner/verdict.h"

namespace lockstep {

// One of
//   {"observations": {"x": 3}}            those that break an expectation
//   {"error": {"class": "InvalidArgument", "at_step": "loss.compute"}}
//   {"unsupported": {"step": "strategy.gather"}}
//   {"timed_out": true}, {"crashed": "SIGSEGV"}, {"protocol_error": true}
// `same_as` adds {"compared_with": {"x": 4}}. A program that ended well where
// an error was expected has all it observed. Of a case with several replica
// counts: {"replicas": {"3": <one of these>}}, with the runs that did not pass.
// REQUIRES: the case did not pass.
Json WhatCameInstead(const CaseResult& result);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_INSTEAD_H_
