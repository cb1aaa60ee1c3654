// A file that all workers write and one's counts.
//
//   const WorkerFile file(strategy.topology(), "models/mlp.keras");
//   Write(file.path());   // that on the chief, elsewhere one that is removed
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_WORKER_FILE_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_WORKER_FILE_H_

#include <string>

#include "reference/cluster/topology.h"
#include "reference/cluster/write_directory.h"

namespace lockstep {

class WorkerFile {
 public:
  // Makes the folder where it is missing. Errors: those of
  // WriteDirectory and MakeFolder.
  WorkerFile(const Topology& topology, const std::string& path);

  const std::string& folder() const { return directory_.path(); }
  const std::string& path() const { return path_; }

 private:
  WriteDirectory directory_;
  std::string path_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_WORKER_FILE_H_
