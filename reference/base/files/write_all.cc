#include "reference/base/files/write_all.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "reference/base/signals/held_signals.h"

namespace lockstep {

namespace {

// Calls write(bytes, number written before) until all are written.
template <typename Write>
WriteResult UntilAll(std::string_view bytes, const Write& write_some) {
  const HeldSignals held({SIGXFSZ, SIGPIPE});
  int64_t done = 0;
  while (!bytes.empty()) {
    const ssize_t written = write_some(bytes, done);
    if (written < 0) {
      if (errno == EINTR) continue;
      return {done, errno};
    }
    done += written;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {done, 0};
}

}  // namespace

WriteResult WriteAll(int descriptor, std::string_view bytes) {
  return UntilAll(bytes, [&](std::string_view rest, int64_t) {
    return write(descriptor, rest.data(), rest.size());
  });
}

WriteResult WriteAllAt(int descriptor, int64_t place, std::string_view bytes) {
  return UntilAll(bytes, [&](std::string_view rest, int64_t done) {
    return pwrite(descriptor, rest.data(), rest.size(), place + done);
  });
}

}  // namespace lockstep
