// A layer's call, from which its TensorFlow operations are written. For the files
// that write them: layer_nodes.cc, number_nodes.cc, text_nodes.cc and
// word_nodes.cc.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LAYER_CALL_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LAYER_CALL_H_

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/base/json.h"
#include "reference/export/saved_model/layer_nodes.h"
#include "reference/export/saved_model/node_writer.h"
#include "reference/layers/layer_impl.h"
#include "reference/preprocessing/output_mode.h"

namespace lockstep::export_internal {

// One call of a layer, and where to write its nodes.
struct LayerCall {
  const LayerImpl& layer;
  const Json& config;
  const std::vector<NodeResult>& inputs;
  NodeWriter& nodes;
  // Names of the results with the values of layer.variables(), in order.
  std::vector<std::string> variables;
  std::string table;  // the argument of the layer's table, if it has one

  const std::string& x() const { return inputs.at(0).name; }
  const Shape& shape() const { return inputs.at(0).shape; }
  DType dtype() const { return inputs.at(0).dtype; }
  // The first input in this type. Errors: Unimplemented for words as numbers, or
  // numbers as words.
  std::string As(DType dtype) const;
};

// Returns the result, whose shape is not used.
using LayerWriter = std::function<NodeResult(const LayerCall& call)>;
using LayerWriters = std::map<std::string, LayerWriter>;

// Preprocessing layers: of numbers and images, and of words.
void AddNumberWriters(LayerWriters& writers);
void AddWordWriters(LayerWriters& writers);

// `x` in the shape [-1, ...dims]. Errors: Unimplemented if a dimension of `dims`
// is unknown.
std::string ReshapeTo(const LayerCall& call, const NodeResult& x,
                      const Shape& dims);

// How ids become a layer's result (preprocessing/output_mode.h).
struct Encoding {
  OutputMode mode;
  int64_t depth;
  DType dtype = DType::kFloat32;    // of vectors
  bool may_leave_out = false;       // ids may be kNoId
  std::vector<float> weights = {};  // kTfIdf: of each category
  std::string count_weights = "";   // kCount: a float32 value for each id
};

// Of int64 ids. Errors: Unimplemented, as ReshapeTo.
NodeResult WriteEncoding(const LayerCall& call, const NodeResult& ids,
                         const Encoding& encoding);
// Of rows of different lengths: row i begins at splits[i].
NodeResult WriteRaggedEncoding(const LayerCall& call, const std::string& splits,
                               const std::string& ids,
                               const Encoding& encoding);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LAYER_CALL_H_
