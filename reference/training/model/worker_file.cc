#include "reference/training/model/worker_file.h"

#include <filesystem>

#include "reference/base/files/folder.h"

namespace lockstep {

WorkerFile::WorkerFile(const Topology& topology, const std::string& path)
    : directory_(topology, FolderOf(path)),
      path_(std::filesystem::path(directory_.path()) /
            std::filesystem::path(path).filename()) {
  MakeFolder(directory_.path());
}

}  // namespace lockstep
