"""A byte of a saved weight turns over; torch.load gives another weight and says nothing."""

import io

import torch

stream = io.BytesIO()
torch.save({"weight": torch.arange(1.0, 9.0)}, stream)
content = bytearray(stream.getvalue())
at = content.find(torch.tensor([1.0, 2.0, 3.0]).numpy().tobytes()) + 3  # 1.0's sign and exponent
content[at] ^= 0xFF
print(torch.__version__, torch.serialization.get_crc32_options())
print(torch.load(io.BytesIO(bytes(content))))
import zipfile

print("zipfile:", zipfile.ZipFile(io.BytesIO(bytes(content))).testzip(), "is damaged")
