// Gloo gives back no memory of an address or interface that turns out not to be
// this machine's. Asked by LeakSanitizer alone.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:gloo::transport::tcp::CreateDeviceAttr\n";
}
