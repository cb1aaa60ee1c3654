#include "reference/kernels/library_calls.h"

namespace lockstep {
namespace {

thread_local LibraryCalls* current = nullptr;

}  // namespace

LibraryCalls* LibraryCalls::Current() { return current; }

LibraryCalls::Scope::Scope(LibraryCalls* calls)
    : previous_(std::exchange(current, calls)) {}

LibraryCalls::Scope::~Scope() { current = previous_; }

}  // namespace lockstep
