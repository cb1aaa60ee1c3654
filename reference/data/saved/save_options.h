// How Dataset::Save divides the elements.
#ifndef LOCKSTEP_REFERENCE_DATA_SAVED_SAVE_OPTIONS_H_
#define LOCKSTEP_REFERENCE_DATA_SAVED_SAVE_OPTIONS_H_

#include <cstdint>

namespace lockstep {

struct SaveOptions {
  // Number of files. Element i is in file i modulo `shards`. Under
  // AutoShardPolicy::kFile each worker reads files of its own, so give at least
  // as many as there are workers.
  int64_t shards = 1;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_SAVED_SAVE_OPTIONS_H_
