// For the files that write layers of words: word_nodes.cc and text_nodes.cc.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOOKUP_NODES_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOOKUP_NODES_H_

#include <cstdint>
#include <string>

#include "reference/export/saved_model/layer_call.h"

namespace lockstep::export_internal {

// What the layer's table has of each key, or `otherwise`.
template <typename Value>
std::string FindInTable(const LayerCall& call, DType keys, const std::string& x,
                        const Value& otherwise) {
  return call.nodes.Add("LookupTableFindV2",
                        {call.table, x, call.nodes.Scalar(otherwise)},
                        {{"Tin", TypeAttribute(TypeNumber(keys))},
                         {"Tout", TypeAttribute(TypeNumber(kDTypeOf<Value>))}},
                        "values");
}

// int64 numbers, larger by `number`.
std::string AddInt64(const LayerCall& call, const std::string& x,
                     int64_t number);

// The configuration's output mode.
OutputMode ModeOf(const LayerCall& call);

// How the ids of a layer with a vocabulary become its result.
Encoding LookupEncoding(const LayerCall& call);

// Adds the writer of TextVectorization.
void AddTextWriters(LayerWriters& writers);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOOKUP_NODES_H_
