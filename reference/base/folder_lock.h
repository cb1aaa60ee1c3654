// Keeps other threads and processes out of what is done to a folder's files.
//
//   const FolderLock lock("train");    // waits for others that hold one
//   if (!exists("train/cache")) Write("train/cache");
//
// It leaves nothing in the folder, ends with the process that holds it, and
// keeps out only those who ask for one too.
#ifndef LOCKSTEP_REFERENCE_BASE_FOLDER_LOCK_H_
#define LOCKSTEP_REFERENCE_BASE_FOLDER_LOCK_H_

#include <string>

namespace lockstep {

class FolderLock {
 public:
  // Errors: NotFound for no such folder; Unavailable with the system's word.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FOLDER_LOCK_H_
