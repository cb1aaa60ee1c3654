#include "reference/base/files/write_all.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "reference/base/signals/held_signals.h"

namespace lockstep {

WriteResult WriteAll(int descriptor, std::string_view bytes) {
  const HeldSignals held({SIGXFSZ, SIGPIPE});
  int64_t done = 0;
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return {done, errno};
    }
    done += written;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {done, 0};
}

}  // namespace lockstep
