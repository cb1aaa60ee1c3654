// The folder that a file is in.
//
//   MakeFolder(FolderOf("train/1/model"));   // "train/1", and "train"
// ... create a file there ...
//   SyncFolder("train/1");                   // makes its name durable
#ifndef LOCKSTEP_REFERENCE_BASE_FILES_FOLDER_H_
#define LOCKSTEP_REFERENCE_BASE_FILES_FOLDER_H_

#include <string>

namespace lockstep {

// "." for a file in the current folder.
std::string FolderOf(const std::string& path);

// Makes a folder and its parents if they are missing. Errors: those of
// SystemError, with the path.
void MakeFolder(const std::string& folder);

// Makes the names in a folder durable. Errors: as above.
void SyncFolder(const std::string& folder);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FILES_FOLDER_H_
