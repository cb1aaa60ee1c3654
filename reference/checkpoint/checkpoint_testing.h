// What the tests of this folder share.
#ifndef LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_TESTING_H_
#define LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_TESTING_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/tensor/tensor.h"

namespace lockstep::checkpoint_internal {

// A folder of this test alone, empty at first, removed at the end.
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

// A file that TensorFlow wrote, e.g. "module/ckpt-1.index".
std::string TensorFlowFile(const std::string& name);

std::string ReadWholeFile(const std::string& file);
void WriteWholeFile(const std::string& file, const std::string& bytes);

// Runs `body`, which must throw an Error of this code with `words` in it.
void ExpectError(Code code, const std::string& words,
                 const std::function<void()>& body);

VariablePtr MakeTestVariable(const Tensor& value,
                             const std::string& name = "Variable");

// A tree of named parts, for graphs that no class of ours makes:
//   PartTree tree;
//   tree.Add("optimizer/_variables/0", variable.get());
//   tree.Add("model");                        // a part without values
//   tree.root().children();                   // optimizer, model
class PartTree {
 public:
  // Makes the parts on the way. Parts are tracked in the order of calls.
  Trackable& Add(const std::string& path, Trackable* object = nullptr);
  Trackable& root() { return *parts_.front(); }
  // The part called `name`. REQUIRES: there is one.
  static Trackable& Child(Trackable& parent, const std::string& name);

 private:
  std::vector<std::unique_ptr<Trackable>> parts_ = MakeRoot();
  static std::vector<std::unique_ptr<Trackable>> MakeRoot();
};

}  // namespace lockstep::checkpoint_internal

#endif  // LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_TESTING_H_
