#include "conformance/runner/text/name_forms.h"

#include <algorithm>

namespace lockstep {
namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

bool IsNameCharacter(char c) {
  return IsLower(c) || (c >= '0' && c <= '9') || c == '_';
}

bool IsPatternCharacter(char c) { return IsNameCharacter(c) || c == '*'; }

// Whether the text is three non-empty parts of allowed characters, separated by
// slashes.
bool HasThreeParts(std::string_view text, bool (*is_allowed)(char)) {
  int parts = 1;
  size_t length = 0;  // of the part so far
  for (const char c : text) {
    if (c == '/' && length > 0) {
      ++parts;
      length = 0;
    } else if (is_allowed(c)) {
      ++length;
    } else {
      return false;
    }
  }
  return parts == 3 && length > 0;
}

// Matches parts without slashes. After a mismatch the last * takes one more
// character; earlier ones need no other try.
bool PartMatches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0;
  size_t star = pattern.npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

}  // namespace

bool IsName(std::string_view text) {
  return !text.empty() && IsLower(text[0]) &&
         std::ranges::all_of(text, IsNameCharacter);
}

bool IsCaseId(std::string_view text) {
  return HasThreeParts(text, IsNameCharacter);
}

bool IsCasePattern(std::string_view text) {
  return HasThreeParts(text, IsPatternCharacter);
}

bool PatternMatches(std::string_view pattern, std::string_view text) {
  for (;;) {
    const size_t pattern_end = pattern.find('/');
    const size_t text_end = text.find('/');
    if (!PartMatches(pattern.substr(0, pattern_end),
                     text.substr(0, text_end))) {
      return false;
    }
    if (pattern_end == pattern.npos || text_end == text.npos) {
      return pattern_end == text_end;
    }
    pattern.remove_prefix(pattern_end + 1);
    text.remove_prefix(text_end + 1);
  }
}

}  // namespace lockstep
