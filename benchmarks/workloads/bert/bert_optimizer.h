// BERT's optimizer.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_BERT_BERT_OPTIMIZER_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_BERT_BERT_OPTIMIZER_H_

#include <cstdint>
#include <memory>

#include "reference/optimizers/optimizer.h"

namespace lockstep::benchmarks {

struct BertRate {
  double rate = 0.001;       // after the warm-up
  int64_t warmup_steps = 2;  // in which it rises from 0
  int64_t steps = 10;        // at which a linear decay ends at 0
};

// AdamW with weight decay 0.01 except on biases and normalizations; the sum of
// the gradients is clipped to a norm of 1.
std::unique_ptr<Optimizer> MakeBertOptimizer(const BertRate& rate);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_BERT_BERT_OPTIMIZER_H_
