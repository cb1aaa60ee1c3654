#include "reference/distribute/input/iterator_state.h"

#include <fmt/core.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"
#include "reference/data/rewriting.h"

namespace lockstep {
namespace {

using data_internal::DatasetNode;
using distribute_internal::PipelineOf;
using distribute_internal::StepSource;

struct SavedPlace {
  DistributedIterator::Place place;
  std::string pipeline;
};

// Errors: FailedPrecondition.
void CheckRepeats(const StepSource& source) {
  VisitNodes(source.datasets(), [](const DatasetNode& node) {
    if (node.repeats()) return true;
    throw FailedPrecondition(
        "[IteratorState] the position of an iterator cannot be saved: another "
        "pass over {} may give other elements, or another order; use a source "
        "of files or tensors, and deterministic calls",
        node.name());
  });
}

// The steps read, the errors thrown, the state of the pass with its length, and
// the pipeline.
std::string ToText(const SavedPlace& saved) {
  const auto& [place, pipeline] = saved;
  std::string text =
      fmt::format("{} {} {}", place.steps, place.errors, place.passes.size());
  for (const uint64_t number : place.passes) text += fmt::format(" {}", number);
  return text + " " + pipeline;
}

// Errors: DataLoss.
SavedPlace Parse(const std::string& text) {
  std::istringstream words(text);
  SavedPlace saved;
  auto& [place, pipeline] = saved;
  size_t count = 0;
  words >> place.steps >> place.errors >> count;
  uint64_t number = 0;
  while (place.passes.size() < count && words >> number) {
    place.passes.push_back(number);
  }
  const bool complete = words && place.passes.size() == count;
  words.get();
  if (!complete || place.steps < 0 || place.errors < 0 ||
      !std::getline(words, pipeline)) {
    throw DataLoss("[IteratorState] '{}' is not the state of an iterator",
                   text);
  }
  return saved;
}

// Errors: DataLoss; InvalidArgument.
DistributedIterator::Place PlaceFrom(const std::string& text,
                                     const StepSource& source) {
  SavedPlace saved = Parse(text);
  distribute_internal::CheckSamePipeline("IteratorState", saved.pipeline,
                                         source);
  return std::move(saved.place);
}

}  // namespace

IteratorState::IteratorState(std::shared_ptr<DistributedIterator> iterator)
    : iterator_(std::move(iterator)) {
  if (DistributionContext::Current().has_strategy()) {
    throw InvalidArgument(
        "[IteratorState] an iterator of a strategy cannot be saved in "
        "checkpoints; save an InputPlace, or train by Fit with "
        "BackupAndRestore");
  }
}

std::vector<Trackable::Value> IteratorState::values() {
  const auto save = [this] {
    const StepSource& source = *iterator_->source();
    CheckRepeats(source);
    return Tensor::Scalar(ToText({iterator_->place(), PipelineOf(source)}));
  };
  const auto restore = [this](const Tensor& saved) {
    iterator_->GoTo(PlaceFrom(saved.item<std::string>(), *iterator_->source()));
  };
  return {{.attribute = "ITERATOR_STATE",
           .full_name = "iterator",
           .spec = {.shape = Shape{}, .dtype = DType::kString},
           .save = save,
           .restore = restore}};
}

}  // namespace lockstep
