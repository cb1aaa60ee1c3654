#include "reference/base/json.h"

#include <fstream>
#include <sstream>

#include "reference/base/atomic_file.h"
#include "reference/base/error.h"

namespace lockstep {

Json ParseJson(std::string_view text, std::string_view origin) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    throw InvalidArgument("[ParseJson] {}: {}", origin, e.what());
  }
}

Json ReadJsonFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw NotFound("[ReadJsonFile] cannot open {}", path);
  std::ostringstream text;
  text << file.rdbuf();
  return ParseJson(text.str(), path);
}

void WriteJsonFile(const std::string& path, const Json& value) {
  AtomicFile file(path);
  file.Append(value.dump(2) + "\n");
  file.Commit();
}

}  // namespace lockstep
