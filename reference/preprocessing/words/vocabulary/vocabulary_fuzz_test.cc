// For any bytes, a vocabulary file has the words of its lines, each found at
// its line, or is refused for a line that is empty or there twice.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/base/fuzzing/fuzzed_files.h"
#include "reference/preprocessing/words/vocabulary/vocabulary.h"

namespace lockstep::words_internal {
namespace {

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// How a file with these lines is refused.
std::optional<Code> RefusalOf(std::vector<std::string_view> lines) {
  if (lines.empty()) return Code::kOutOfRange;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) return Code::kInvalidArgument;
    const auto seen = lines.begin() + static_cast<int64_t>(i);
    if (std::find(lines.begin(), seen, lines[i]) != seen) {
      return Code::kFailedPrecondition;
    }
  }
  return std::nullopt;
}

void CheckWords(const Vocabulary& words,
                const std::vector<std::string_view>& lines) {
  LOCKSTEP_CHECK(words.size() == std::ssize(lines));
  for (int64_t i = 0; i < words.size(); ++i) {
    const std::string_view line = lines[static_cast<size_t>(i)];
    LOCKSTEP_CHECK(words.word(i) == line);
    LOCKSTEP_CHECK(words.Find(line) == i);
    LOCKSTEP_CHECK(words.Find(std::string(line) + "\n") == kNoWord);
    AllowErrors([&] { words.Text(i); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string file = FuzzedFile("fuzzed_vocabulary.txt");
  WriteFuzzed(file, text);
  const std::vector<std::string_view> lines = LinesOf(text);
  const std::optional<Code> refusal = RefusalOf(lines);
  try {
    const VocabularyPtr words = Vocabulary::FromFile(file);
    LOCKSTEP_CHECK(!refusal);
    CheckWords(*words, lines);
  } catch (const Error& e) {
    LOCKSTEP_CHECK(refusal == e.code());
  }
  return 0;
}

}  // namespace lockstep::words_internal
