// The base of nodes that give some elements of their input as they are. How
// many is not known without reading them.
#ifndef LOCKSTEP_REFERENCE_DATA_SUBSET_NODE_H_
#define LOCKSTEP_REFERENCE_DATA_SUBSET_NODE_H_

#include <cstdint>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

class SubsetNode : public DatasetNode {
 protected:
  using DatasetNode::DatasetNode;

  SpecStructure MakeSpec() const override { return input().element_spec(); }
  bool DeclaresSpec() const final { return input().spec_is_declared(); }
  int64_t CountElements() const final { return kUnknownCardinality; }
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SUBSET_NODE_H_
