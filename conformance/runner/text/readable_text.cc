#include "conformance/runner/text/readable_text.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "reference/base/json.h"

namespace lockstep {
namespace {

constexpr char32_t kLastAscii = 0x7f;

bool IsContinuation(char c) { return (c & 0xC0) == 0x80; }

// Replaces invalid UTF-8 by U+FFFD.
std::string AsUtf8(std::string_view text) {
  const std::string quoted =
      Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(quoted).get<std::string>();
}

// The code point of a character's UTF-8 bytes.
char32_t CodePoint(std::string_view bytes) {
  constexpr unsigned kLeadBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t code =
      static_cast<unsigned char>(bytes[0]) & kLeadBits[bytes.size()];
  for (const char c : bytes.substr(1)) code = code << 6 | (c & 0x3F);
  return code;
}

bool IsControl(char32_t code) {
  const bool is_control = code < 0x20 || (code >= kLastAscii && code < 0xA0);
  const bool changes_direction =
      (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return is_control || changes_direction;
}

std::string Escaped(char32_t code) {
  if (code == '\n') return "\\n";
  return code <= kLastAscii ? fmt::format("\\x{:02x}", uint32_t{code})
                            : fmt::format("\\u{:04x}", uint32_t{code});
}

// `kept`: control characters that stay unchanged.
std::string EscapeControls(std::string_view utf8, std::string_view kept) {
  std::string text;
  for (size_t at = 0; at < utf8.size();) {
    size_t end = at + 1;
    while (end < utf8.size() && IsContinuation(utf8[end])) ++end;
    const std::string_view bytes = utf8.substr(at, end - at);
    const char32_t code = CodePoint(bytes);
    const bool stays = !IsControl(code) || kept.find(bytes) != kept.npos;
    text += stays ? std::string(bytes) : Escaped(code);
    at = end;
  }
  return text;
}

// The longest prefix of at most `longest` bytes that does not cut a character.
std::string_view Prefix(std::string_view text, size_t longest) {
  if (text.size() <= longest) return text;
  while (longest > 0 && IsContinuation(text[longest])) --longest;
  return text.substr(0, longest);
}

}  // namespace

std::string ReadableText(std::string_view text) {
  return EscapeControls(AsUtf8(text), "\n\t");
}

std::string ReadableLine(std::string_view text) {
  const std::string_view shown = Prefix(text, kMaxLineBytes);
  const std::string line = EscapeControls(AsUtf8(shown), "\t");
  if (shown.size() == text.size()) return line;
  return fmt::format("{}... ({} bytes more)", line, text.size() - shown.size());
}

std::string ReadableExcerpt(std::string_view text) {
  constexpr size_t kLongest = 120;
  const std::string_view shown = Prefix(text, kLongest);
  const std::string line = EscapeControls(AsUtf8(shown), "\t");
  return shown.size() == text.size() ? line : line + "...";
}

}  // namespace lockstep
