#include "reference/base/file_testing.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "reference/base/check.h"

namespace lockstep {

namespace fs = std::filesystem;

TestFolder::TestFolder() {
  path_ = fs::path(testing::TempDir()) / "folder-XXXXXX";
  LOCKSTEP_CHECK(mkdtemp(path_.data()) != nullptr);
}

TestFolder::~TestFolder() { fs::remove_all(path_); }

std::string TestFolder::operator/(const std::string& name) const {
  return fs::path(path_) / name;
}

std::vector<std::string> TestFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_)) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

std::string ReadWholeFile(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream.good()) << file;
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

void WriteWholeFile(const std::string& file, const std::string& bytes) {
  fs::remove(file);  // ext4 waits for the disk when it truncates
  std::ofstream stream(file, std::ios::binary);
  stream << bytes;
  stream.close();
  EXPECT_TRUE(stream.good()) << file;
}

}  // namespace lockstep
