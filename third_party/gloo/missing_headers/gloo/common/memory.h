// Debian's and Ubuntu's packages of Gloo leave this header out, which their
// gloo/transport/tcp/pair.h includes. Where one is installed, it is taken.
#pragma once

#if __has_include_next(<gloo/common/memory.h>)
#include_next <gloo/common/memory.h>
#else

#include <memory>

// What the memory of a pair holds of these: their size, and how they end.
namespace gloo {

template <typename T>
class NonOwningPtr final {
  std::shared_ptr<T> pointer_;
};

template <typename T>
class WeakNonOwningPtr final {
  std::weak_ptr<T> pointer_;
};

}  // namespace gloo

#endif
