#include "reference/preprocessing/words/vocabulary/lines.h"

#include <algorithm>
#include <array>

namespace lockstep::words_internal {

bool FitsALine(std::string_view word) {
  return !word.empty() && word.find_first_of("\r\n") == word.npos;
}

bool FitsALineOfPython(std::string_view word) {
  constexpr std::array<std::string_view, 10> kLineEnds = {
      "\n",   "\v",   "\f",       "\r",           "\x1c",
      "\x1d", "\x1e", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};
  return std::ranges::none_of(kLineEnds, [word](std::string_view end) {
    return word.find(end) != std::string_view::npos;
  });
}

}  // namespace lockstep::words_internal
