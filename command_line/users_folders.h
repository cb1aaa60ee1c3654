// Folders of the person who started the program, in Bazel or outside of it.
#ifndef LOCKSTEP_COMMAND_LINE_USERS_FOLDERS_H_
#define LOCKSTEP_COMMAND_LINE_USERS_FOLDERS_H_

#include <string>

namespace lockstep {

// `bazel run` starts programs elsewhere: goes to the folder that the person is
// in, which relative paths are meant for.
void EnterUsersFolder();

// Where results go unless told otherwise: "results" at the root of the checkout,
// which git ignores; of the folder that the person is in, without Bazel.
std::string ResultsFolder();

// Makes a folder and those above it. Errors: Unavailable with the system's word.
void MakeFolder(const std::string& folder);

}  // namespace lockstep

#endif  // LOCKSTEP_COMMAND_LINE_USERS_FOLDERS_H_
