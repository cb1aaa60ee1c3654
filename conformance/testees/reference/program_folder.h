// The folder for the files of one program.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PROGRAM_FOLDER_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PROGRAM_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <string>

#include "reference/base/error.h"

namespace lockstep::conformance {

// Empty at first; removed with all that is in it.
class ProgramFolder {
 public:
  // Errors: Unavailable where none can be made.
  ProgramFolder() {
    std::string form =
        (std::filesystem::temp_directory_path() / "lockstep-XXXXXX").string();
    if (!mkdtemp(form.data())) {
      throw Unavailable("[ReferenceTestee] cannot make a folder {}", form);
    }
    path_ = form;
  }
  ~ProgramFolder() {
    std::error_code ignored;  // left behind where it cannot be removed
    std::filesystem::remove_all(path_, ignored);
  }
  ProgramFolder(const ProgramFolder&) = delete;
  ProgramFolder& operator=(const ProgramFolder&) = delete;

  const std::string& path() const { return path_; }

  // Errors: std::filesystem::filesystem_error where something stays.
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
