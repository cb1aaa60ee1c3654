// A log on stderr, one line per message: "I [MirroredStrategy] Using devices
// ...".
//
// stdout stays free for results. Tests and tools watch the log with LogCapture:
//
//   LogCapture capture;                       // from here on, on any thread
//   LogWarning("[Shard] {} files left over", 3);
//   capture.lines();                          // {"W [Shard] 3 files left
//   over"}
#ifndef LOCKSTEP_REFERENCE_BASE_LOG_H_
#define LOCKSTEP_REFERENCE_BASE_LOG_H_

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

namespace lockstep {

namespace base_internal {
void WriteLog(char level, const std::string& message);
}  // namespace base_internal

template <typename... Args>
void LogInfo(fmt::format_string<Args...> format, Args&&... args) {
  base_internal::WriteLog('I',
                          fmt::format(format, std::forward<Args>(args)...));
}

template <typename... Args>
void LogWarning(fmt::format_string<Args...> format, Args&&... args) {
  base_internal::WriteLog('W',
                          fmt::format(format, std::forward<Args>(args)...));
}

// Collects messages instead of writing them to stderr. REQUIRES: at most one at
// a time in the process.
class LogCapture {
 public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  std::vector<std::string> lines() const;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_LOG_H_
