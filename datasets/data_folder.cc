#include "datasets/data_folder.h"

#include <cstdlib>

#include "reference/base/error.h"

namespace lockstep {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string DefaultDataFolder() {
  if (const std::string folder = Variable("LOCKSTEP_DATA_DIR");
      !folder.empty()) {
    return folder;
  }
  if (const std::string cache = Variable("XDG_CACHE_HOME"); !cache.empty()) {
    return cache + "/lockstep/datasets";
  }
  if (const std::string home = Variable("HOME"); !home.empty()) {
    return home + "/.cache/lockstep/datasets";
  }
  throw FailedPrecondition(
      "[DataFolder] none of LOCKSTEP_DATA_DIR, XDG_CACHE_HOME and HOME is set");
}

}  // namespace lockstep
