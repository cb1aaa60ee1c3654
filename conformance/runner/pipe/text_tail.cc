#include "conformance/runner/pipe/text_tail.h"

namespace lockstep {

void TextTail::Append(std::string_view text) {
  if (text.size() > longest_) {
    text_.clear();
    text.remove_prefix(text.size() - longest_);
    lost_ = true;
  }
  text_ += text;
  if (text_.size() > 2 * longest_) {
    text_.erase(0, text_.size() - longest_);
    lost_ = true;
  }
}

std::string TextTail::text() const {
  std::string_view tail = text_;
  const bool lost = lost_ || tail.size() > longest_;
  if (tail.size() > longest_) tail.remove_prefix(tail.size() - longest_);
  const size_t line_end = tail.find('\n');
  if (lost && line_end != tail.npos && line_end + 1 < tail.size()) {
    tail.remove_prefix(line_end + 1);
  }
  return std::string(tail);
}

}  // namespace lockstep
