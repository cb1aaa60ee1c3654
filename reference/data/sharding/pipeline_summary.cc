#include "reference/data/sharding/pipeline_summary.h"

#include <fmt/core.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "reference/base/encoding/crc32c.h"

namespace lockstep::data_internal {
namespace {

std::string SummarizeFiles(const std::vector<std::string>& files) {
  uint32_t names = 0;
  for (const std::string& file : files) {
    names = ExtendCrc32c(
        names, std::filesystem::path(file).filename().string() + "\n");
  }
  return fmt::format("[{} files, names {:08x}]", files.size(), names);
}

std::string SummarizeNode(const DatasetNode& node) {
  std::string text(node.name());
  if (const std::vector<std::string>* files = node.files()) {
    text += SummarizeFiles(*files);
  } else if (const int64_t elements = node.cardinality(); elements >= 0) {
    text += fmt::format("[{}]", elements);
  }
  return text;
}

}  // namespace

std::string Summarize(const DatasetNode& node) {
  return Describe(node, SummarizeNode);
}

}  // namespace lockstep::data_internal
