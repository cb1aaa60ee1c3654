// The system's gRPC, Gloo and oneDNN are not built for ThreadSanitizer, which does
// not see their locks and counters: what they hand from one thread to another
// would be reported as a race. Our own threads are checked as usual. Linked
// into every program with one of them, and read by ThreadSanitizer alone.
extern "C" const char* __tsan_default_options() {
  return "ignore_noninstrumented_modules=1";
}

// Templates of gRPC that are compiled with our code; oneDNN, and where its header
// looks into a description that it made. gRPC may end after main has returned,
// without joining its own threads.
extern "C" const char* __tsan_default_suppressions() {
  return "race:^grpc::\n"
         "thread:^grpc_core::Thread::\n"
         "race:libdnnl.so\n"
         "race:dnnl::primitive_desc_base::query_md\n";
}
