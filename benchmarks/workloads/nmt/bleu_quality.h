// How BLEU is called and shown: published tables have 100 times the score.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_NMT_BLEU_QUALITY_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_NMT_BLEU_QUALITY_H_

#include "benchmarks/measurement/quality.h"

namespace lockstep::benchmarks {

inline Quality BleuQuality() {
  return {.name = "bleu", .label = "BLEU", .scale = 100, .unit = ""};
}

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_NMT_BLEU_QUALITY_H_
