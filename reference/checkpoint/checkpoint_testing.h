// Variables and object trees for tests of checkpoints.
#ifndef LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_TESTING_H_
#define LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_TESTING_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/autodiff/variable.h"
#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/tensor/tensor.h"
#include "reference/tensor_bundle/bundle_testing.h"

namespace lockstep::checkpoint_internal {

VariablePtr MakeTestVariable(const Tensor& value,
                             const std::string& name = "Variable");

// A tree of named parts, for object graphs that none of our classes has.
//
//   PartTree tree;
//   tree.Add("optimizer/_variables/0", variable.get());
//   tree.Add("model");                        // a part without values
//   tree.root().children();                   // optimizer, model
class PartTree {
 public:
  // Also adds missing parts of the path. Tracks parts in the order of calls.
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
