// Where a worker writes what all workers write and one's counts: checkpoints.
//
//   const WriteDirectory directory(strategy.topology(), "train");
//   checkpoint.Save(directory.path() + "/ckpt");   // on every worker
//   // train/ckpt-1 by the chief, train/workertemp_1/ckpt-1 by worker 1, whose
//   // folder is removed with the object
//   checkpoint.Restore(LatestCheckpoint("train"));   // on every worker
//
// Saving takes part on all workers, because what a checkpoint holds of some
// variables is read over all of them.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_WRITE_DIRECTORY_H_
#define LOCKSTEP_REFERENCE_CLUSTER_WRITE_DIRECTORY_H_

#include <string>

#include "reference/cluster/topology.h"

namespace lockstep {

class WriteDirectory {
 public:
  // `directory` itself on the chief; elsewhere "workertemp_<worker>" in it, which
  // nothing else may use: what an earlier job left there is removed, by the
  // chief also what one of more workers left. Errors: Unavailable where that
  // cannot be.
  WriteDirectory(const Topology& topology, const std::string& directory);
  // Removes a temporary one; says in the log where that fails.
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
