// Gloo gives back no memory of an address or interface that turns out not to be
// this machine's, and a process that ends while gRPC looks a name up leaves that
// name behind. Only LeakSanitizer calls this.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:gloo::transport::tcp::CreateDeviceAttr\n"
         "leak:libcares.so\n";
}
