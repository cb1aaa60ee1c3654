// The folder for the files of one program.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PROGRAM_FOLDER_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PROGRAM_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <string>

#include "reference/base/error.h"

namespace lockstep::conformance {

// Empty at first; removed with its content.
class ProgramFolder {
 public:
  // Errors: Unavailable if it cannot be created.
  ProgramFolder() {
    std::string form =
        (std::filesystem::temp_directory_path() / "lockstep-XXXXXX").string();
    if (!mkdtemp(form.data())) {
      throw Unavailable("[ReferenceTestee] cannot make a folder {}", form);
    }
    path_ = form;
  }
  ~ProgramFolder() {
    std::error_code ignored;  // it stays if it cannot be removed
    std::filesystem::remove_all(path_, ignored);
  }
  ProgramFolder(const ProgramFolder&) = delete;
  ProgramFolder& operator=(const ProgramFolder&) = delete;

  const std::string& path() const { return path_; }

  // Errors: std::filesystem::filesystem_error if an entry cannot be removed.
  void Clear() const {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      std::filesystem::remove_all(entry.path());
    }
  }

 private:
  std::string path_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PROGRAM_FOLDER_H_
