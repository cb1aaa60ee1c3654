// What BERT is pre-trained with: words that were masked, and whether a sentence
// follows another.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_BERT_BERT_TASK_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_BERT_BERT_TASK_H_

#include <memory>

#include "benchmarks/workloads/bert/bert.h"
#include "benchmarks/workloads/task.h"

namespace lockstep::benchmarks {

// Examples are tuples of
//
//   ids        [L]  words, and padding at the end
//   mask       [L]  1 for words, 0 for padding
//   types      [L]  0 for the first sentence, 1 for the second
//   positions  [P]  of the words to predict
//   labels     [P]  these words
//   weights    [P]  1, and 0 where there are fewer than P
//   follows    []   whether the second sentence follows the first
//
// all int64 but the weights, float32. The loss is the sum of the words' cross
// entropies over their number in the global batch, plus that of the sentences
// over the size of the global batch. The quality is the share of masked words
// that are predicted rightly.
std::unique_ptr<Task> MakeBertTask(const BertModel& model);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_BERT_BERT_TASK_H_
