// Calls a user's function for several elements at a time.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PARALLEL_MAP_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PARALLEL_MAP_H_

#include <cstdint>

#include "reference/data/functions.h"
#include "reference/data/reader.h"
#include "reference/data/transformations/parallelism.h"

namespace lockstep::data_internal {

// The results of `function`, in the order of the input, or if not
// `deterministic` as they are ready. The reader's own threads, which start at
// the first read, call it. They read at most limit.calls() elements ahead of
// those that were asked for, as TensorFlow 2.21 does: with 4 calls the first
// read takes 5 elements of the input. After the first 4 * calls elements they
// read up to twice as many ahead for a program that is faster than they are.
//
// Next calls the function itself while elements, with reading the input, take
// less than 10 us: after 64 such elements, for kAutotune from the start. Then
// nothing is read ahead.
//
// An error, of the function or of the input, is thrown in place of its element.
// The destructor waits for calls that have begun.
//
// Errors, when read: ResourceExhausted if no thread can be started, after which
// the caller may try again.
ReaderPtr<Structure> MakeParallelMapReader(ReaderPtr<Structure> input,
                                           MapFunction function,
                                           const CallLimit& limit,
                                           bool deterministic);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PARALLEL_MAP_H_
