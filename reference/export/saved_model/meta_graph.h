// The main graph of a SavedModel, which calls its functions. TensorFlow 1 and
// TensorFlow Serving, which do not load objects, run it.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_META_GRAPH_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_META_GRAPH_H_

#include <string>
#include <vector>

#include "reference/export/saved_model/model_function.h"
#include "reference/export/saved_model/saved_model.pb.h"

namespace lockstep::export_internal {

// Writes placeholders, a call of kSignatureFunction with them and `resources`, the
// operations that restore the variables from `keys` of the checkpoint, and those
// that fill the tables. `sorted` is the interface sorted by name.
void WriteMetaGraph(const ModelInterface& sorted,
                    const ModelResources& resources,
                    const std::vector<std::string>& keys,
                    saved_model::MetaGraphDef& meta_graph);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_META_GRAPH_H_
