// Removing a folder in which another program did what it liked.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_FOLDER_REMOVAL_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_FOLDER_REMOVAL_H_

namespace lockstep {

// Removes what is called `folder`, and the folder that is open as `opened`
// wherever it was moved to, with all that is in them: trees of any depth, and
// folders that their owner may not read. Links and other file systems in it are
// not followed.
//
// Another process does it. The caller waits five seconds at most; what takes
// longer goes on by itself, and ends after ten minutes. Nothing is said of what
// could not be removed.
//
// Safe in a signal handler. REQUIRES: nobody writes into the folder any more.
void RemoveFolder(const char* folder, int opened);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_FOLDER_REMOVAL_H_
