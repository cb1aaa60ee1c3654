// Translation with attention: the custom-training guide's recurrent model.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_NMT_NMT_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_NMT_NMT_H_

#include <cstdint>

#include "benchmarks/workloads/small/small_training.h"
#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workload_options.h"

namespace lockstep::benchmarks {

// What a sum of losses is divided by, over the whole global batch.
enum class NmtDivisor {
  kSentences,  // as the guide's example
  kTokens,     // without padding
};

// Bahdanau, Cho and Bengio, "Neural machine translation by jointly learning to
// align and translate", 2014, as TensorFlow's example has it: a GRU encodes; at
// each step attention sees the encoder's outputs, and the decoder's GRU begins
// from zeros.
struct NmtModel {
  int64_t source = 0;  // words of each language
  int64_t target = 0;
  int64_t embedding = 32;
  int64_t units = 64;
  NmtDivisor divisor = NmtDivisor::kSentences;
};

// GRUs of 128 units on English and German sentences of a small grammar that were
// made for this project; 64 pairs a replica, Adam with rate 0.001. The quality is
// BLEU of other sentences, translated greedily. --data=full translates messages
// of Debian 12 (text_datasets/README.md). Errors: those of ReadCatalogPairs.
Workload NmtFor(const WorkloadOptions& options);

// GRUs of 64 units with vocabularies of 60 and 50, 65,075 weights, and five
// steps of batches by formula, 8, 8, 8, 8 and 5 pairs of sentences. Adam with
// rate 0.001.
SmallWorkload SmallNmt(NmtDivisor divisor = NmtDivisor::kSentences);

// The same as a workload of the benchmark.
Workload SmallNmtFor(const WorkloadOptions& options);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_NMT_NMT_H_
