#include "reference/distribute/simulated_pod/pod_input.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/dataset_node.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/rewriting.h"
#include "reference/tensor/nest.h"

namespace lockstep::pod_internal {
namespace {

using data_internal::DatasetNode;
using data_internal::NodePtr;
using data_internal::Reader;
using data_internal::ReaderPtr;
using distribute_internal::Step;
using distribute_internal::StepSource;
using distribute_internal::StepSourcePtr;

// What the node's function makes first, if it can be found out now.
NodePtr FirstDatasetOf(const DatasetNode& node) {
  try {
    return node.FirstDataset();
  } catch (const Error&) {
    return nullptr;  // the reader of that element gets the error
  }
}

bool ReadsGenerator(const DatasetNode& pipeline) {
  return data_internal::FindNode(pipeline, [](const DatasetNode& node) {
    if (node.name() == "Generator") return true;
    const NodePtr inner = FirstDatasetOf(node);
    return inner != nullptr && ReadsGenerator(*inner);
  });
}

// The shapes of a part's leaves, or why it cannot be on a core.
std::vector<Shape> ShapesOf(const Structure& part, bool on_cores) {
  std::vector<Shape> shapes;
  part.ForEach([&](const Tensor& leaf) {
    if (on_cores && leaf.dtype() == DType::kString) {
      throw Unimplemented(
          "[SimulatedTpuStrategy] TPUs have no strings, got {}; turn them into "
          "numbers in the dataset, with Map, or keep them on the host: "
          "InputOptions::fetch_to_device false",
          Describe(leaf));
    }
    shapes.push_back(leaf.shape());
  });
  return shapes;
}

class CheckedReader final : public Reader<Step> {
 public:
  CheckedReader(ReaderPtr<Step> steps, bool on_cores)
      : steps_(std::move(steps)), on_cores_(on_cores) {}

  int64_t Next(std::span<Step> out) override {
    Step step;
    if (steps_->Next({&step, 1}) == 0) return 0;
    ++number_;
    for (int replica = 0; replica < step.size(); ++replica) {
      CheckPart(ShapesOf(step[replica], on_cores_), replica);
    }
    out.front() = std::move(step);
    return 1;
  }

 private:
  void CheckPart(std::vector<Shape> shapes, int replica) {
    if (!first_) {
      first_ = std::move(shapes);
    } else if (shapes != *first_) {
      Refuse(shapes, replica);
    }
  }

  [[noreturn]] void Refuse(const std::vector<Shape>& shapes,
                           int replica) const {
    size_t leaf = 0;
    while (leaf < shapes.size() && leaf < first_->size() &&
           shapes[leaf] == (*first_)[leaf]) {
      ++leaf;
    }
    const auto text = [&](const std::vector<Shape>& of) {
      return leaf < of.size() ? ToString(of[leaf]) : std::string("no tensor");
    };
    throw InvalidArgument(
        "[SimulatedTpuStrategy] shapes are static on TPUs: step {} has {} on "
        "replica {}, the pass began with {} on replica 0; give every host "
        "equally many batches of one size, with drop_remainder",
        number_, text(shapes), replica, text(*first_));
  }

  ReaderPtr<Step> steps_;
  const bool on_cores_;
  std::optional<std::vector<Shape>> first_;
  int64_t number_ = 0;
};

class CheckedSource final : public StepSource {
 public:
  CheckedSource(StepSourcePtr steps, bool on_cores)
      : steps_(std::move(steps)), on_cores_(on_cores) {}

  PerReplica<SpecStructure> element_spec() const override {
    return steps_->element_spec();
  }
  int64_t cardinality() const override { return steps_->cardinality(); }
  Sharding sharding() const override { return steps_->sharding(); }
  ReaderPtr<Step> Open() const override {
    return std::make_unique<CheckedReader>(steps_->Open(), on_cores_);
  }
  std::vector<NodePtr> pipelines() const override {
    return steps_->pipelines();
  }
  std::vector<NodePtr> datasets() const override { return steps_->datasets(); }
  std::string Explain() const override { return steps_->Explain(); }

 private:
  StepSourcePtr steps_;
  bool on_cores_;
};

}  // namespace

void CheckNoGenerator(const Dataset& dataset) {
  if (!ReadsGenerator(*dataset.node())) return;
  throw Unimplemented(
      "[SimulatedTpuStrategy] generators are not supported on TPUs, got {}; "
      "read files or tensors",
      data_internal::Describe(*dataset.node()));
}

StepSourcePtr CheckSteps(StepSourcePtr steps, bool on_cores) {
  return std::make_shared<CheckedSource>(std::move(steps), on_cores);
}

}  // namespace lockstep::pod_internal
