// A folder that appears complete or not at all.
//
//   NewFolder folder("exported");
//   WriteFileBytes(folder / "model.pb", bytes);
//   folder.Commit();    // replaces an older "exported" atomically
//
// Without Commit the older folder stays and the new one is removed; a killed
// process leaves <name>.tmp-<pid>.
#ifndef LOCKSTEP_REFERENCE_BASE_FILES_NEW_FOLDER_H_
#define LOCKSTEP_REFERENCE_BASE_FILES_NEW_FOLDER_H_

#include <string>

namespace lockstep::export_internal {

class NewFolder {
 public:
  // Errors of all functions: those of SystemError (base/error.h);
  // InvalidArgument if the name is that of a file.
  explicit NewFolder(const std::string& path);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  // A path in the folder, while it is being made.
  std::string operator/(const std::string& name) const;
  void MakeFolder(const std::string& name) const;

  // REQUIRES: called once, after all its files are written and synced.
  void Commit();

 private:
  std::string path_;
  std::string temporary_;
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_BASE_FILES_NEW_FOLDER_H_
