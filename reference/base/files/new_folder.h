// A folder that appears whole or not at all.
//
//   NewFolder folder("exported");
//   WriteFileBytes(folder / "model.pb", bytes);
//   folder.Commit();    // takes the place of an older "exported" at once
//
// Without Commit the older folder stays, and nothing is left of the new one; a
// process that is killed leaves <name>.tmp-<pid>.
#ifndef LOCKSTEP_REFERENCE_BASE_FILES_NEW_FOLDER_H_
#define LOCKSTEP_REFERENCE_BASE_FILES_NEW_FOLDER_H_

#include <string>

namespace lockstep::export_internal {

class NewFolder {
 public:
  // Errors of all: as SystemError (base/error.h) says; InvalidArgument for a
  // name that is a file's.
  explicit NewFolder(const std::string& path);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  // A path in the folder, while it is being made.
  std::string operator/(const std::string& name) const;
  void MakeFolder(const std::string& name) const;

  // REQUIRES: called once, everything in it written and synced.
  void Commit();

 private:
  std::string path_;
  std::string temporary_;
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_BASE_FILES_NEW_FOLDER_H_
