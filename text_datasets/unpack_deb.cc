#include "text_datasets/unpack_deb.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "reference/base/error.h"
#include "reference/base/files/folder.h"

namespace lockstep {

void UnpackDeb(const std::string& package, const std::string& folder) {
  MakeFolder(folder);
  const char* const arguments[] = {"dpkg-deb", "-x", package.c_str(),
                                   folder.c_str(), nullptr};
  pid_t process = 0;
  const int problem =
      posix_spawnp(&process, arguments[0], nullptr, nullptr,
                   const_cast<char* const*>(arguments), environ);
  if (problem != 0) {
    throw SystemError(problem,
                      "[UnpackDeb] cannot start dpkg-deb, of the package dpkg");
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) throw SystemError(errno, "[UnpackDeb] waitpid");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw DataLoss("[UnpackDeb] dpkg-deb -x {} {} failed, with status {}",
                   package, folder, status);
  }
}

}  // namespace lockstep
