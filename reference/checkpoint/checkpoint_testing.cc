#include "reference/checkpoint/checkpoint_testing.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "reference/base/check.h"

namespace lockstep::checkpoint_internal {

namespace fs = std::filesystem;

TestFolder::TestFolder() {
  path_ = fs::path(testing::TempDir()) / "checkpoint-XXXXXX";
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

std::string TensorFlowFile(const std::string& name) {
  return "reference/checkpoint/testdata/" + name;
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

void ExpectError(Code code, const std::string& words,
                 const std::function<void()>& body) {
  try {
    body();
    ADD_FAILURE() << "nothing was thrown, wanted " << CodeName(code) << ": "
                  << words;
  } catch (const Error& error) {
    EXPECT_EQ(CodeName(error.code()), CodeName(code)) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
        << "wanted '" << words << "' in: " << error.what();
  }
}

VariablePtr MakeTestVariable(const Tensor& value, const std::string& name) {
  VariableOptions options;
  options.initial_value = [value] { return value; };
  options.name = name;
  return MakeVariable(options);
}

std::vector<std::unique_ptr<Trackable>> PartTree::MakeRoot() {
  std::vector<std::unique_ptr<Trackable>> parts;
  parts.push_back(std::make_unique<Trackable>());
  return parts;
}

Trackable& PartTree::Child(Trackable& parent, const std::string& name) {
  const auto found =
      std::ranges::find(parent.children(), name, &Trackable::Child::name);
  LOCKSTEP_CHECK(found != parent.children().end());
  return *found->object;
}

Trackable& PartTree::Add(const std::string& path, Trackable* object) {
  std::istringstream names(path);
  Trackable* part = &root();
  for (std::string name; std::getline(names, name, '/');) {
    const bool last = names.eof();
    const auto known =
        std::ranges::find(part->children(), name, &Trackable::Child::name);
    if (known != part->children().end()) {
      part = known->object;
      continue;
    }
    Trackable* next = last ? object : nullptr;
    if (next == nullptr) {
      next = parts_.emplace_back(std::make_unique<Trackable>()).get();
    }
    part->TrackChild(name, *next);
    part = next;
  }
  return *part;
}

}  // namespace lockstep::checkpoint_internal
