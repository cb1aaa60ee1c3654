#include "benchmarks/output_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "command_line/users_folders.h"

namespace lockstep::benchmarks {
namespace {

// "results/scaling-20260131-120000-2.json" for the second.
std::string Numbered(const FreeName& name, int number) {
  const std::string end = number == 1 ? "" : fmt::format("-{}", number);
  return std::filesystem::path(name.folder) /
         (name.stem + end + name.extension);
}

}  // namespace

OutputFile::OutputFile(const std::string& path)
    : file_(std::make_unique<AtomicFile>(path)) {}

OutputFile::OutputFile(const FreeName& name) : name_(name) {
  MakeFolder(name.folder);
  file_ = std::make_unique<AtomicFile>(Numbered(name, 1));
}

void OutputFile::Write(std::string_view bytes) {
  if (file_->visible()) file_ = std::make_unique<AtomicFile>(file_->path());
  file_->Append(bytes);
  if (ours_ || name_.stem.empty()) {
    file_->Commit();
  } else {
    Claim(bytes);
  }
  ours_ = true;
}

void OutputFile::Claim(std::string_view bytes) {
  for (int number = 2; !file_->CommitNew(); ++number) {
    file_ = std::make_unique<AtomicFile>(Numbered(name_, number));
    file_->Append(bytes);
  }
}

}  // namespace lockstep::benchmarks
