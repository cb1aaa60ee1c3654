#include "reference/autodiff/unique_name.h"

#include <map>
#include <mutex>

namespace lockstep {
namespace {

struct Counts {
  std::mutex mutex;
  std::map<std::string, int> next;
};

Counts& State() {
  static Counts* counts = new Counts;  // outlives static destructors
  return *counts;
}

}  // namespace

std::string UniqueName(const std::string& base) {
  Counts& counts = State();
  std::lock_guard lock(counts.mutex);
  const int index = counts.next[base]++;
  return index == 0 ? base : base + "_" + std::to_string(index);
}

void ClearSession() {
  Counts& counts = State();
  std::lock_guard lock(counts.mutex);
  counts.next.clear();
}

}  // namespace lockstep
