// Where downloaded datasets lie: $LOCKSTEP_DATA_DIR, else
// $XDG_CACHE_HOME/lockstep/datasets, else ~/.cache/lockstep/datasets.
#ifndef LOCKSTEP_DATASETS_DATA_FOLDER_H_
#define LOCKSTEP_DATASETS_DATA_FOLDER_H_

#include <string>

namespace lockstep {

// Errors: FailedPrecondition when no variable says where.
std::string DefaultDataFolder();

}  // namespace lockstep

#endif  // LOCKSTEP_DATASETS_DATA_FOLDER_H_
