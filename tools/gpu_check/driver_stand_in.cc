// A fake of NVIDIA's driver, as far as the check calls it: one GPU.
extern "C" {

int cuInit(unsigned) { return 0; }

int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}

int cuDeviceGet(int* device, int) {
  *device = 0;
  return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = nullptr;
  return 0;
}

}  // extern "C"
