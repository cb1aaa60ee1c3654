// Where workers write files of which only the chief's count: checkpoints.
//
//   const WriteDirectory directory(strategy.topology(), "train");
//   checkpoint.Save(directory.path() + "/ckpt");   // on every worker
//   // train/ckpt-1 by the chief, train/workertemp_1/ckpt-1 by worker 1, whose
//   // folder is removed with the object
//   checkpoint.Restore(LatestCheckpoint("train"));   // on every worker
//
// All workers take part in saving, because some variables are read from all of
// them.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_WRITE_DIRECTORY_H_
#define LOCKSTEP_REFERENCE_CLUSTER_WRITE_DIRECTORY_H_

#include <string>

#include "reference/cluster/topology.h"

namespace lockstep {

class WriteDirectory {
 public:
  // The path is `directory` itself on the chief, and "workertemp_<worker>" in
  // it on the others. Nothing else may use those folders: each worker removes
  // its own of an earlier job, the chief those of workers that this job does
  // not have. Errors: Unavailable if a folder cannot be removed.
  WriteDirectory(const Topology& topology, const std::string& directory);
  // Removes a temporary folder; logs a failure.
  ~WriteDirectory();
  WriteDirectory(const WriteDirectory&) = delete;
  WriteDirectory& operator=(const WriteDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool is_temporary_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_WRITE_DIRECTORY_H_
