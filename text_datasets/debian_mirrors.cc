#include "text_datasets/debian_mirrors.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace lockstep {
namespace {

constexpr char kList[] =
    "apt-get indextargets --format '$(REPO_URI)' 'ShortDesc: Packages' "
    "2>/dev/null";

bool CanBeDownloadedFrom(std::string_view url) {
  return url.starts_with("http://") || url.starts_with("https://") ||
         url.starts_with("file:/");
}

}  // namespace

std::vector<std::string> MirrorsIn(std::string_view lines) {
  std::vector<std::string> mirrors;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    std::string url(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (!CanBeDownloadedFrom(url)) continue;
    if (!url.ends_with('/')) url += '/';
    if (std::ranges::count(mirrors, url) == 0) mirrors.push_back(url);
  }
  return mirrors;
}

std::vector<std::string> DebianMirrors() {
  std::FILE* const list = popen(kList, "r");
  if (list == nullptr) return {};
  std::string lines;
  std::array<char, 4096> piece;
  while (const size_t read = std::fread(piece.data(), 1, piece.size(), list)) {
    lines.append(piece.data(), read);
  }
  pclose(list);
  return MirrorsIn(lines);
}

}  // namespace lockstep
