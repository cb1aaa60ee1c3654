// The main function of programs that download datasets.
//
//   ./bazelw run //image_datasets:fetch -- mnist --data-dir=data
#ifndef LOCKSTEP_DATASET_FILES_FETCH_PROGRAM_H_
#define LOCKSTEP_DATASET_FILES_FETCH_PROGRAM_H_

#include <functional>
#include <string>
#include <vector>

#include "dataset_files/manifest.h"

namespace lockstep {

struct FetchProgram {
  const Manifest& manifest;
  std::vector<std::string> default_datasets;
  std::string examples;  // for --help
  // Called with the folder of a dataset whose files are all valid; returns what
  // to print.
  std::function<std::string(const ManifestEntry&, const std::string& folder)>
      finish = nullptr;
};

// Returns the exit status: 0 if all files exist and are valid, 1 if some are
// not, 2 for wrong usage.
int RunFetchProgram(int argc, char** argv, const FetchProgram& program);

}  // namespace lockstep

#endif  // LOCKSTEP_DATASET_FILES_FETCH_PROGRAM_H_
