// The folder that a file is in.
//
//   MakeFolder(FolderOf("train/1/model"));   // "train/1", and "train"
//   ... a file gets its name there ...
//   SyncFolder("train/1");                   // which it now keeps
#ifndef LOCKSTEP_REFERENCE_BASE_FILES_FOLDER_H_
#define LOCKSTEP_REFERENCE_BASE_FILES_FOLDER_H_

#include <string>

namespace lockstep {

// "." for a file of the current one.
std::string FolderOf(const std::string& path);

// Makes a folder and those above it, where they are missing. Errors: those of
// SystemError, with the path.
void MakeFolder(const std::string& folder);

// Names in a folder last once it is on disk. Errors: as above.
void SyncFolder(const std::string& folder);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FILES_FOLDER_H_
