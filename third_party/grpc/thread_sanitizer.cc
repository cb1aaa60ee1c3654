// The system's gRPC is not built for ThreadSanitizer, which does not see its
// locks: what it hands from one thread to another would be reported as a race.
// Threads of our own are checked as ever. Linked into every program with gRPC,
// and read by ThreadSanitizer alone.
extern "C" const char* __tsan_default_options() {
  return "ignore_noninstrumented_modules=1";
}

// Its templates, that are compiled with our code.
extern "C" const char* __tsan_default_suppressions() {
  return "race:^grpc::\n";
}
