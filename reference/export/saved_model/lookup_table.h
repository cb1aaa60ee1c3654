// The tables of layers with a vocabulary, in a SavedModel.
//
//   for (const LookupTable& table : TablesOf(model)) {
//     table.keys;     // ["b", "a"]
//     table.values;   // [1, 2]
//   }
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOOKUP_TABLE_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOOKUP_TABLE_H_

#include <string>
#include <vector>

#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

struct LookupTable {
  const LayerImpl* layer;
  // Words or int64, and the id of each; of an inverted layer ids, and the word or
  // number of each. The mask has id 0, or kNoId in vectors. Unknown words have
  // none.
  Tensor keys;
  Tensor values;
  // By which TensorFlow shares tables in a process: from the keys and values, so
  // that other tables have other names.
  std::string shared_name;
};

// The tables of all layers of the model, each once. Errors: FailedPrecondition
// for a layer without a vocabulary; InvalidArgument for words that are not UTF-8.
std::vector<LookupTable> TablesOf(const Layer& model);

// Functions that make table `i`, fill it, and do nothing when it goes.
std::string CreatorName(size_t i);
std::string InitializerName(size_t i);
std::string DestroyerName(size_t i);
void AddTableFunctions(const LookupTable& table, size_t i,
                       saved_model::FunctionDefLibrary& library);

// The node that makes the table, in a function or the main graph.
saved_model::NodeDef MakeTableNode(const LookupTable& table,
                                   const std::string& name);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOOKUP_TABLE_H_
