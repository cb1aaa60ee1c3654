// One restore under way: finds the program's objects in the stored graph,
// gives them their values, and waits for parts that come later.
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
  // Opens the checkpoint and restores what `root` has by now. All values are
  // read and checked before the first one is assigned.
  // Errors: as TensorBundleReader; InvalidArgument where type or shape of a
  // value differ; Unimplemented for a checkpoint without an object graph.
  // With `every_value` also FailedPrecondition where `root` has a value that the
  // checkpoint does not give.
  static std::shared_ptr<ObjectRestore> Start(const std::string& prefix,
                                              Trackable& root,
                                              bool every_value = false);
  // Warns of stored values that nobody asked for, unless told to expect it.
  ~ObjectRestore() override;

  void OnChildTracked(Trackable& parent, const std::string& name,
                      Trackable& child) override;
  void ExpectPartial() { expect_partial_ = true; }

  // Paths of stored values that no object of the program has taken.
  std::vector<std::string> UnusedValues() const;
  // Keys of values below `root` that the checkpoint did not give.
  std::vector<std::string> UnmatchedValues(Trackable& root) const;
  // Something besides the root was found.
  bool matched_more_than_the_root() const { return nodes_of_.size() > 1; }

 private:
  struct Assignment {
    Trackable* object;
    int node;
    Trackable::Value value;
    std::string key;
  };
  // Objects matched in one go, and what they are to be given.
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
  // `check` may throw before anything is assigned.
  void Restore(Trackable& object, int node, const Check& check = nullptr);
  bool Bind(Trackable& object, int node, Match& match);
  void PlanValues(Trackable& object, int node, Match& match);
  void MatchParts(Trackable& object, int node, Match& match);
  void MatchSlots(Trackable& object, int node, Match& match);
  void Assign(const std::vector<Assignment>& assignments);
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
