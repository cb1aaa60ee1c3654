#include "conformance/runner/pipe/testee_server.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <memory>

#include "conformance/runner/pipe/protocol.h"
#include "conformance/runner/testee.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr int kStopped = 0;
constexpr int kNotStopped = 1;

class ReplyFile {
 public:
  explicit ReplyFile(int descriptor) : file_(fdopen(descriptor, "w"), &fclose) {
    if (!file_) throw SystemError(errno, "[ServeTestee] cannot use stdout");
  }

  void Write(const std::string& line) {
    if (fputs((line + "\n").c_str(), file_.get()) < 0 ||
        fflush(file_.get()) != 0) {
      throw SystemError(errno, "[ServeTestee] cannot reply");
    }
  }

 private:
  std::unique_ptr<FILE, int (*)(FILE*)> file_;
};

}  // namespace

int ServeTestee(Testee& testee, std::istream& in,
                const std::function<void(const std::string&)>& reply,
                std::ostream& errors) {
  try {
    for (std::string line; std::getline(in, line);) {
      const Command command = DecodeCommand(line);
      if (std::holds_alternative<StopCommand>(command)) return kStopped;
      if (const auto* run = std::get_if<RunCommand>(&command)) {
        reply(EncodeReply({run->seq, RunOnTestee(testee, run->request)}));
      } else {
        reply(EncodeDeclaration(testee.Start()));
      }
    }
    errors << "[ServeTestee] wanted stop, got the end of the input\n";
  } catch (const Error& e) {
    errors << e.what() << "\n";
  }
  return kNotStopped;
}

int ServeTesteeOnStdio(Testee& testee) {
  try {
    ReplyFile replies(dup(STDOUT_FILENO));
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
      throw SystemError(errno, "[ServeTestee] cannot redirect stdout");
    }
    const auto reply = [&](const std::string& line) { replies.Write(line); };
    return ServeTestee(testee, std::cin, reply, std::cerr);
  } catch (const Error& e) {
    std::cerr << e.what() << "\n";
    return kNotStopped;
  }
}

}  // namespace lockstep
