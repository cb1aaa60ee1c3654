// The graph of a SavedModel around its functions: what loaders without objects
// (TensorFlow 1, TensorFlow Serving) run.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_META_GRAPH_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_META_GRAPH_H_

#include <string>
#include <vector>

#include "reference/export/saved_model/model_function.h"
#include "reference/export/saved_model/saved_model.pb.h"

namespace lockstep::export_internal {

// Placeholders, a call of kSignatureFunction on them and on `variables`, and the
// operations that restore these from `keys` of the checkpoint. `sorted` is the
// interface in the order of its names.
void WriteMetaGraph(const ModelInterface& sorted,
                    const std::vector<VariablePtr>& variables,
                    const std::vector<std::string>& keys,
                    saved_model::MetaGraphDef& meta_graph);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_META_GRAPH_H_
