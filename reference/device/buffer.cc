#include "reference/device/buffer.h"

#include <memory>
#include <new>

#include "reference/device/capture_session.h"

namespace lockstep {
namespace {

// Keeps the data after the header aligned.
constexpr size_t kHeaderBytes = (sizeof(Buffer) + MemoryPool::kAlignment - 1) /
                                MemoryPool::kAlignment * MemoryPool::kAlignment;

// A block of private memory, which lives as long as this.
struct PrivateBlock {
  std::shared_ptr<PrivateMemory> memory;
  const Device* device;
  void* block;
  size_t bytes;

  static void Release(void* context) {
    const std::unique_ptr<PrivateBlock> self(
        static_cast<PrivateBlock*>(context));
    self->memory->Free(*self->device, self->block, self->bytes);
  }
};

BufferPtr AllocatePrivately(PrivateMemory& memory, Device& device,
                            size_t bytes) {
  auto block = std::make_unique<PrivateBlock>(
      PrivateBlock{memory.shared_from_this(), &device, nullptr, bytes});
  block->block = memory.Allocate(device, bytes);
  void* data = block->block;
  return Buffer::Wrap(device, data, bytes, &PrivateBlock::Release,
                      block.release());
}

// The calling thread's private memory, or nullptr if it has none on the device.
PrivateMemory* PrivateMemoryOf(const Device& device) {
  PrivateMemory* memory = PrivateMemory::Current();
  return memory != nullptr && memory->Serves(device) ? memory : nullptr;
}

}  // namespace

BufferPtr Buffer::Allocate(Device& device, size_t bytes) {
  if (!device.on_host()) {
    PrivateMemory* memory = PrivateMemoryOf(device);
    if (memory != nullptr) return AllocatePrivately(*memory, device, bytes);
    std::unique_ptr<Buffer> buffer(new Buffer(device, nullptr, bytes));
    buffer->data_ = device.pool().Allocate(bytes);
    buffer->source_ = Source::kPool;
    return BufferPtr(buffer.release());
  }
  void* block = device.pool().Allocate(kHeaderBytes + bytes);
  void* data = static_cast<std::byte*>(block) + kHeaderBytes;
  Buffer* buffer = new (block) Buffer(device, data, bytes);
  buffer->source_ = Source::kPoolWithHeader;
  return BufferPtr(buffer);
}

BufferPtr Buffer::Wrap(Device& device, void* data, size_t bytes,
                       void (*release)(void* context), void* context) {
  Buffer* buffer = new Buffer(device, data, bytes);
  buffer->release_ = release;
  buffer->context_ = context;
  return BufferPtr(buffer);
}

BufferPtr Buffer::Alias(Device& device, const BufferPtr& buffer) {
  Buffer* alias = new Buffer(device, buffer->data(), buffer->bytes());
  alias->aliased_ = BufferPtr(buffer).Leak();
  return BufferPtr(alias);
}

void Buffer::Release() noexcept {
  const BufferPtr aliased(aliased_);
  if (release_) release_(context_);
  MemoryPool& pool = device_->pool();
  if (source_ == Source::kPoolWithHeader) {
    const size_t block_bytes = kHeaderBytes + bytes_;
    this->~Buffer();
    pool.Free(this, block_bytes);
    return;
  }
  if (source_ == Source::kPool) {
    PrivateMemory* memory = PrivateMemoryOf(*device_);
    if (memory != nullptr) {
      memory->Keep(*device_, data_, bytes_);
    } else {
      pool.Free(data_, bytes_);
    }
  }
  delete this;
}

}  // namespace lockstep
