#include "reference/distribute/input/iterator_state.h"

#include <fmt/core.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

// The number of steps read, and the state of the pass with its length.
std::string ToText(const DistributedIterator::Place& place) {
  std::string text = fmt::format("{} {}", place.steps, place.passes.size());
  for (const uint64_t number : place.passes) text += fmt::format(" {}", number);
  return text;
}

// Errors: DataLoss.
DistributedIterator::Place Parse(const std::string& text) {
  std::istringstream words(text);
  DistributedIterator::Place place;
  size_t count = 0;
  words >> place.steps >> count;
  uint64_t number = 0;
  while (place.passes.size() < count && words >> number) {
    place.passes.push_back(number);
  }
  if (words.fail() || place.steps < 0 || place.passes.size() != count) {
    throw DataLoss("[IteratorState] '{}' is not the state of an iterator",
                   text);
  }
  return place;
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
  return {
      {.attribute = "ITERATOR_STATE",
       .full_name = "iterator",
       .spec = {.shape = Shape{}, .dtype = DType::kString},
       .save = [this] { return Tensor::Scalar(ToText(iterator_->place())); },
       .restore =
           [this](const Tensor& saved) {
             iterator_->GoTo(Parse(saved.item<std::string>()));
           }}};
}

}  // namespace lockstep
