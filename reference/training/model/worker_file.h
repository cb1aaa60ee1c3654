// The path to which a worker writes a file that only the chief's copy of is kept.
//
//   const WorkerFile file(strategy.topology(), "models/mlp.keras");
//   Write(file.path());   // on other workers a temporary file, removed later
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_WORKER_FILE_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_WORKER_FILE_H_

#include <string>

#include "reference/cluster/topology.h"
#include "reference/cluster/write_directory.h"

namespace lockstep {

class WorkerFile {
 public:
  // Creates the folder if needed. Errors: those of WriteDirectory and MakeFolder.
  WorkerFile(const Topology& topology, const std::string& path);

  const std::string& folder() const { return directory_.path(); }
  const std::string& path() const { return path_; }

 private:
  WriteDirectory directory_;
  std::string path_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_WORKER_FILE_H_
