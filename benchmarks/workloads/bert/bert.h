// BERT's pre-training: the custom-training guide's model of language.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_BERT_BERT_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_BERT_BERT_H_

#include <cstdint>

#include "benchmarks/workloads/small/small_training.h"
#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workload_options.h"

namespace lockstep::benchmarks {

// Devlin, Chang, Lee and Toutanova, "BERT: pre-training of deep bidirectional
// transformers for language understanding", 2018: an encoder that normalizes
// after each addition. Words are predicted with the table of words itself.
struct BertModel {
  int64_t vocabulary = 0;
  int64_t hidden = 64;
  int64_t heads = 4;
  int64_t inner = 256;
  int64_t layers = 2;
  int64_t length = 16;  // tokens of an example
};

// Two layers of 128 on stories of a small grammar that were made for this
// project, in word pieces: pairs of segments of 32 tokens, 15 % of them masked,
// drawn again in each epoch by the numbers of the examples; 32 pairs a replica.
// AdamW as below, rate 0.001 after a warm-up of 100 steps, 0 after 10,000. The
// quality is the share of masked tokens of other stories that it predicts
// rightly. With the data "full" it reads manuals of Debian 12 instead
// (text_datasets/README.md), in pairs of segments of 64 tokens, and is tested
// with a tenth of their sections. Errors: those of ReadManuals.
Workload BertFor(const WorkloadOptions& options);

// Two layers of 64 with a vocabulary of 97, 116,131 weights, and five steps of
// batches by formula, 8, 8, 8, 8 and 5 examples of 8 to 16 tokens, 1 to 4 of
// which are predicted. AdamW with weight decay 0.01 except on biases and
// normalizations, gradients clipped to a norm of 1, the rate 0.01 after a
// warm-up of two steps, 0 at the tenth.
SmallWorkload SmallBert();

// The same as a workload of the benchmark.
Workload SmallBertFor(const WorkloadOptions& options);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_BERT_BERT_H_
