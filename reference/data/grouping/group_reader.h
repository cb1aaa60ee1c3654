// A group of elements as a dataset, and the elements that a function makes of
// such datasets.
#ifndef LOCKSTEP_REFERENCE_DATA_GROUPING_GROUP_READER_H_
#define LOCKSTEP_REFERENCE_DATA_GROUPING_GROUP_READER_H_

#include <vector>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// These elements, which have the spec of those of `input`.
NodePtr MakeGroup(std::vector<Structure> elements, NodePtr input);

// All elements of one dataset after another.
class GroupReader : public Reader<Structure> {
 public:
  int64_t Next(std::span<Structure> out) final;

 protected:
  // nullptr at the end, and in every later call. An error costs that dataset.
  virtual NodePtr NextDataset() = 0;

 private:
  ReaderPtr<Structure> current_;
  bool at_end_ = false;
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_GROUPING_GROUP_READER_H_
