// One restore: matches the program's objects with the stored graph and assigns
// their values. It stays alive to restore objects that are tracked later.
#ifndef LOCKSTEP_REFERENCE_CHECKPOINT_OBJECT_RESTORE_H_
#define LOCKSTEP_REFERENCE_CHECKPOINT_OBJECT_RESTORE_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/checkpoint/trackable_object_graph.pb.h"
#include "reference/tensor_bundle/tensor_bundle.h"

namespace lockstep::checkpoint_internal {

class ObjectRestore : public PendingRestore,
                      public std::enable_shared_from_this<ObjectRestore> {
 public:
  // Opens the checkpoint and restores the objects that `root` has so far. Reads
  // and checks all values before it assigns the first one.
  // Errors: as TensorBundleReader; InvalidArgument if the type or shape of a
  // value differs; Unimplemented if the checkpoint has no object graph. With
  // `every_value`, also FailedPrecondition if `root` has a value that is not in
  // the checkpoint.
  static std::shared_ptr<ObjectRestore> Start(const std::string& prefix,
                                              Trackable& root,
                                              bool every_value = false);
  // Warns about stored values that were not restored, unless ExpectPartial.
  ~ObjectRestore() override;

  void OnChildTracked(Trackable& parent, const std::string& name,
                      Trackable& child) override;
  void ExpectPartial() { expect_partial_ = true; }

  // Keys of stored values that were not restored to any object.
  std::vector<std::string> UnusedValues() const;
  // Keys of values below `root` that were not restored.
  std::vector<std::string> UnmatchedValues(Trackable& root) const;
  // Whether any object other than the root was matched.
  bool matched_more_than_the_root() const { return nodes_of_.size() > 1; }

 private:
  struct Assignment {
    Trackable* object;
    int node;
    Trackable::Value value;
    std::string key;
  };
  // Newly matched objects and the values to assign to them.
  struct Match {
    std::vector<std::pair<Trackable*, int>> bound;
    std::vector<Assignment> assignments;
  };

  explicit ObjectRestore(const std::string& prefix);
  void CheckGraph() const;
  // Values, by their objects and attributes.
  using ValueSet = std::set<std::pair<Trackable*, std::string>>;
  // Keys and names of values below `root` that are not among `given`.
  static std::vector<std::string> Unmatched(Trackable& root,
                                            const ValueSet& given);
  // Errors: FailedPrecondition.
  void CheckEveryValue(Trackable& root, const Match& match) const;
  using Check = std::function<void(const Match& match)>;
  // Calls `check`, which may throw, before it assigns any value.
  void Restore(Trackable& object, int node, const Check& check = nullptr);
  bool Bind(Trackable& object, int node, Match& match);
  void PlanValues(Trackable& object, int node, Match& match);
  void MatchParts(Trackable& object, int node, Match& match);
  void MatchSlots(Trackable& object, int node, Match& match);
  void Assign(const std::vector<Assignment>& assignments);
  // What assigns the values of objects with joint values. Errors: the objects',
  // with a key.
  std::vector<std::function<void()>> PrepareJoint(
      const std::vector<Assignment>& assignments,
      const std::vector<Tensor>& values) const;
  bool IsComplete(int node) const;

  TensorBundleReader reader_;
  checkpoint::TrackableObjectGraph graph_;
  std::vector<Trackable*> object_of_;  // by node
  std::unordered_map<Trackable*, std::vector<int>> nodes_of_;
  std::set<std::pair<int, std::string>> used_;  // node, attribute
  ValueSet restored_;
  std::set<Trackable*> waited_for_;
  bool expect_partial_ = false;
};

}  // namespace lockstep::checkpoint_internal

#endif  // LOCKSTEP_REFERENCE_CHECKPOINT_OBJECT_RESTORE_H_
