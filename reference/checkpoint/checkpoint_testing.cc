#include "reference/checkpoint/checkpoint_testing.h"

#include <algorithm>

#include "reference/base/check.h"

namespace lockstep::checkpoint_internal {

VariablePtr MakeTestVariable(const Tensor& value, const std::string& name) {
  VariableOptions options;
  options.initial_value = [value] { return value; };
  options.name = name;
  return MakeVariable(options);
}

std::vector<std::unique_ptr<Trackable>> PartTree::MakeRoot() {
  std::vector<std::unique_ptr<Trackable>> parts;
  parts.push_back(std::make_unique<Trackable>());
  return parts;
}

Trackable& PartTree::Child(Trackable& parent, const std::string& name) {
  const auto found =
      std::ranges::find(parent.children(), name, &Trackable::Child::name);
  LOCKSTEP_CHECK(found != parent.children().end());
  return *found->object;
}

Trackable& PartTree::Add(const std::string& path, Trackable* object) {
  std::istringstream names(path);
  Trackable* part = &root();
  for (std::string name; std::getline(names, name, '/');) {
    const bool last = names.eof();
    const auto known =
        std::ranges::find(part->children(), name, &Trackable::Child::name);
    if (known != part->children().end()) {
      part = known->object;
      continue;
    }
    Trackable* next = last ? object : nullptr;
    if (next == nullptr) {
      next = parts_.emplace_back(std::make_unique<Trackable>()).get();
    }
    part->TrackChild(name, *next);
    part = next;
  }
  return *part;
}

}  // namespace lockstep::checkpoint_internal
