// The tables of a SavedModel: of words or integers, with a value of each.
//
//   const Table table(keys, values);     // ["b", "a"], [1, 2]
//   table.Find(words, unknown);          // ["a", "z"], 0 -> [2, 0]
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_TABLE_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_TABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

class Table {
 public:
  // Errors: DataLoss for another number of values than keys, and for a key that has
  // two values; Unimplemented for keys that are neither words nor int64.
  Table(const Tensor& keys, const Tensor& values);

  // The value of each key, or `otherwise`. Errors: InvalidArgument for keys or a
  // scalar of other types.
  Tensor Find(const Tensor& keys, const Tensor& otherwise) const;
  DType value_type() const { return values_.dtype(); }
  // Of keys and values.
  double bytes() const;

 private:
  // The place of each key of a list, -1 for one that is not there.
  std::vector<int64_t> Places(const Tensor& keys) const;

  DType key_type_;
  std::unordered_map<std::string, int64_t> words_;
  std::unordered_map<int64_t, int64_t> numbers_;
  Tensor values_;
};

using TablePtr = std::shared_ptr<const Table>;

// The value of the constant at this node of the object graph. Errors: DataLoss;
// those of ReadConstant.
Tensor ReadCapturedConstant(const saved_model::MetaGraphDef& graph, int node,
                            double most_bytes);

// The table at this node of the object graph, filled by its initializer with
// constants or with the lines of a file in <folder>/assets. Errors: NotFound without
// the file; DataLoss; Unimplemented for another resource than a HashTableV2, and for
// files that are not lists of words; ResourceExhausted beyond `most_bytes`.
TablePtr ReadTable(const saved_model::MetaGraphDef& graph, int node,
                   const std::string& folder, double most_bytes);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_TABLE_H_
