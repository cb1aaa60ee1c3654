// The end of a text of any length.
//
//   TextTail tail(8);
//   tail.Append("first\n");
//   tail.Append("last\n");
//   tail.text();  // "last\n": whole lines only, once something is lost
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_TEXT_TAIL_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_TEXT_TAIL_H_

#include <string>
#include <string_view>

namespace lockstep {

class TextTail {
 public:
  explicit TextTail(size_t longest) : longest_(longest) {}

  void Append(std::string_view text);

  // At most `longest` bytes: the last lines, or the end of a longer one.
  std::string text() const;

 private:
  size_t longest_;
  std::string text_;  // at most twice the longest
  bool lost_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_TEXT_TAIL_H_
