// Settings of AddressSanitizer in a fuzz target's search.

// An allocation of absurd size fails as it does without the sanitizer, by
// std::bad_alloc, which is for the target to handle; it does not end the search.
extern "C" const char* __asan_default_options() {  // NOLINT: its name
  return "allocator_may_return_null=1";
}
