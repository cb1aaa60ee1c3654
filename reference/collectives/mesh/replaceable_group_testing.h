// For tests: a group that can be replaced, since a group over a mesh is
// finished when a rank has left it or failed.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_REPLACEABLE_GROUP_TESTING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_REPLACEABLE_GROUP_TESTING_H_

#include <memory>
#include <string_view>
#include <vector>

#include "reference/collectives/group.h"

namespace lockstep {

class ReplaceableGroup final : public Group {
 public:
  explicit ReplaceableGroup(std::unique_ptr<Group>& group) : group(group) {}

  std::unique_ptr<Group>& group;

  int rank() const override { return group->rank(); }
  int size() const override { return group->size(); }
  std::string_view algorithm() const override { return group->algorithm(); }
  Pending<TensorList> AllReduce(ReduceOp op, const TensorList& values,
                                const CollectiveOptions& options) override {
    return group->AllReduce(op, values, options);
  }
  Pending<Tensor> ReduceScatter(ReduceOp op, const TensorList& parts,
                                const CollectiveOptions& options) override {
    return group->ReduceScatter(op, parts, options);
  }
  Pending<std::vector<TensorList>> AllGather(
      const TensorList& values, const CollectiveOptions& options) override {
    return group->AllGather(values, options);
  }
  Pending<TensorList> Broadcast(const TensorList& values, int root,
                                const CollectiveOptions& options) override {
    return group->Broadcast(values, root, options);
  }
  void Barrier(const CollectiveOptions& options) override {
    group->Barrier(options);
  }
  void Abort() override { group->Abort(); }
  void Check() const override { group->Check(); }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_REPLACEABLE_GROUP_TESTING_H_
