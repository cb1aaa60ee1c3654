// Removes a folder in which another program may have done anything.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_FOLDER_REMOVAL_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_FOLDER_REMOVAL_H_

namespace lockstep {

// Removes the path `folder`, and the folder that is open as `opened` even if it
// was moved, with their content: trees of any depth, and folders without read
// permission. Does not follow links, or enter other file systems.
//
// Another process does the work. The caller waits at most five seconds; after
// that the process continues in the background, for at most ten minutes. Errors
// are ignored.
//
// Async-signal-safe. REQUIRES: no process writes to the folder any more.
void RemoveFolder(const char* folder, int opened);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_FOLDER_REMOVAL_H_
