// Files for tests.
//
//   const TestFolder folder;
//   WriteWholeFile(folder / "x", "abc");
//   folder.names();                        // {"x"}
#ifndef LOCKSTEP_REFERENCE_BASE_FILE_TESTING_H_
#define LOCKSTEP_REFERENCE_BASE_FILE_TESTING_H_

#include <string>
#include <vector>

namespace lockstep {

// A new folder for one test, removed at the end.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  // "<folder>/<name>".
  std::string operator/(const std::string& name) const;
  const std::string& path() const { return path_; }
  // Names of everything in the folder, sorted.
  std::vector<std::string> names() const;

 private:
  std::string path_;
};

// The test fails if the file cannot be read or written.
std::string ReadWholeFile(const std::string& file);
void WriteWholeFile(const std::string& file, const std::string& bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FILE_TESTING_H_
