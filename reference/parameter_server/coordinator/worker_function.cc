#include "reference/parameter_server/coordinator/worker_function.h"

#include "reference/base/error.h"

namespace lockstep {
namespace {

const Structure& StructureOf(const WorkerArguments::Value& value) {
  if (const auto* structure = std::get_if<Structure>(&value)) return *structure;
  throw InvalidArgument("[WorkerArguments] {}",
                        "the argument is an iterator; get elements with Next");
}

DatasetIterator& IteratorOf(const WorkerArguments::Value& value) {
  using Iterator = std::shared_ptr<DatasetIterator>;
  if (const auto* iterator = std::get_if<Iterator>(&value)) return **iterator;
  throw InvalidArgument(
      "[WorkerArguments] {}",
      "the argument is a value, not an iterator of a per-worker dataset");
}

}  // namespace

const coordinator_internal::Argument& ScheduledArgument::Checked(
    std::string_view name, std::string_view function) const {
  if (refused_.empty()) return value_;
  throw InvalidArgument(
      "[Schedule] argument {} of '{}' is {}, which cannot be sent to a worker; "
      "fetch its value, or let the function capture it",
      name, function, refused_);
}

const Structure& WorkerArguments::operator[](size_t index) const {
  return StructureOf(At(index));
}

const Structure& WorkerArguments::operator[](std::string_view name) const {
  return StructureOf(At(name));
}

DatasetIterator& WorkerArguments::Iterator(size_t index) const {
  return IteratorOf(At(index));
}

DatasetIterator& WorkerArguments::Iterator(std::string_view name) const {
  return IteratorOf(At(name));
}

const WorkerArguments::Value& WorkerArguments::At(size_t index) const {
  if (index < positional_.size()) return positional_[index];
  throw InvalidArgument("[WorkerArguments] argument {} of {} does not exist",
                        index, positional_.size());
}

const WorkerArguments::Value& WorkerArguments::At(std::string_view name) const {
  const auto found = named_.find(std::string(name));
  if (found != named_.end()) return found->second;
  throw InvalidArgument("[WorkerArguments] there is no argument '{}'", name);
}

}  // namespace lockstep
