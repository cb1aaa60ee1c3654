// A variable whose value is kept by parameter servers: whole, or in shards of
// rows on several of them.
//
//   VariablePtr v = maker.Make({.initial_value = ..., .name = "v"});
//   v->Read();                          // the value as it is now
//   AssignAddAndRead(*v, delta);        // one operation: no update is between
//   v->ReadRows(ids);                   // only these rows travel
//   ScatterSub(*v, IndexedSlices(rows, ids, v->shape()));
//   ShardsOf(*v);                       // {{server 0, (5, 3)}, {server 1, ...}}
//
// Updates of different processes are applied one after another, in no fixed
// order. Updates of several shards are not one operation: a reader may see some
// of them before others. In a closure (closure_scope.h) each is applied once;
// outside of closures a worker may only read (FailedPrecondition).
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_REMOTE_VARIABLE_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_REMOTE_VARIABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reference/autodiff/indexed_slices.h"
#include "reference/autodiff/variable.h"
#include "reference/parameter_server/variables/parameter_client.h"
#include "reference/parameter_server/variables/remote_home.h"

namespace lockstep {

// The part of a variable that one server keeps.
struct VariableShard {
  Place place;
  int64_t begin = 0;  // its first row; 0 for a variable that is not sharded
  Shape shape;
};

class RemoteVariable : public Variable {
 public:
  RemoteVariable(std::shared_ptr<RemoteHome> home,
                 const PublishedVariable& published,
                 const VariableOptions& options);

  const std::string& name() const override { return name_; }
  bool trainable() const override { return trainable_; }
  VariableSynchronization synchronization() const override {
    return synchronization_;
  }
  VariableAggregation aggregation() const override { return aggregation_; }
  Shape shape() const override { return spec_.shape; }
  DType dtype() const override { return spec_.dtype; }
  VariableHome* home() const override { return home_.get(); }

  // Errors of all that use the value: rpc::PeerLost.
  Tensor Read() const override;
  // Errors: InvalidArgument as kernels::Gather.
  Tensor ReadRows(const Tensor& indices) const override;
  void Assign(const Tensor& value) override;
  void AssignAdd(const Tensor& delta) override;
  void AssignSub(const Tensor& delta) override;

  // Rows begin..end-1, without the others. Errors: InvalidArgument for a range
  // that the variable has not.
  Tensor ReadSlice(int64_t begin, int64_t end) const;

  // Changes the value, and returns it as it was straight afterwards.
  Tensor ChangeAndRead(Change::Kind kind, const Tensor& value);
  // Changes rows. Errors: InvalidArgument for rows that do not fit.
  void ChangeRows(Change::Kind kind, const IndexedSlices& rows);

  bool is_sharded() const { return shards_.size() > 1; }
  const std::vector<VariableShard>& shards() const { return shards_; }

  // The part of `rows` (ascending or not) that each shard has, perhaps none,
  // numbered from the shard's first row, and where each was in `rows`. REQUIRES:
  // int64 [n]. Errors: InvalidArgument for rows out of range.
  struct RowsOfShard {
    Tensor rows;       // int64, of the shard
    Tensor positions;  // int64, in `rows`

    bool empty() const { return rows.num_elements() == 0; }
  };
  std::vector<RowsOfShard> Divide(const char* operation,
                                  const Tensor& rows) const;

 private:
  LocalVariable& OwnCopy(std::string_view update) override;
  void CheckFits(const char* operation, const Tensor& value) const;
  // The changes of all shards.
  std::vector<Change> Changes(Change::Kind kind, const Tensor& value,
                              bool wants_value) const;
  Tensor Gathered(const Tensor& rows) const;

  const std::shared_ptr<RemoteHome> home_;
  const std::string name_;
  const TensorSpec spec_;
  const bool trainable_;
  const VariableSynchronization synchronization_;
  const VariableAggregation aggregation_;
  std::vector<VariableShard> shards_;
};

// Whether the variable is kept by parameter servers, and where. Empty for other
// variables.
std::vector<VariableShard> ShardsOf(const Variable& variable);

// The value straight after the update: for a remote variable no other update is
// between the two. For other variables AssignAdd, then Read.
Tensor AssignAddAndRead(Variable& variable, const Tensor& delta);
Tensor AssignSubAndRead(Variable& variable, const Tensor& delta);

// Change rows. Values of a repeated row are added one after another; of those
// that are assigned the last one stays. Errors: Unimplemented for a variable
// that is not remote.
void ScatterUpdate(Variable& variable, const IndexedSlices& rows);
void ScatterAdd(Variable& variable, const IndexedSlices& rows);
void ScatterSub(Variable& variable, const IndexedSlices& rows);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_REMOTE_VARIABLE_H_
