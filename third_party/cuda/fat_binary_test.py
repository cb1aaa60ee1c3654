"""An object of cuda_library holds machine code for each promised GPU, and PTX of the newest.

    fat_binary_test.py add_one.cu.o

Reads the fat binary that nvcc embeds: a header, then entries of code, each with a kind and an
architecture (cuda's fatbinary_section.h has the outer structure).
"""

import struct
import sys
import unittest

from tools import xml_unittest

MAGIC = struct.pack("<I", 0xBA55ED50)
PTX, MACHINE_CODE = 1, 2


def entries(content):
    """(kind, architecture) of each piece of code in an object file."""
    found, start = set(), content.find(MAGIC)
    while start >= 0:
        header_bytes, body_bytes = struct.unpack_from("<HQ", content[start + 6 : start + 16])
        offset, end = start + header_bytes, start + header_bytes + body_bytes
        while offset < end:
            (kind,) = struct.unpack_from("<H", content, offset)
            entry_header, entry_body = struct.unpack_from("<IQ", content, offset + 4)
            (architecture,) = struct.unpack_from("<I", content, offset + 28)
            found.add((kind, architecture))
            offset += entry_header + entry_body
        start = content.find(MAGIC, end)
    return found


class FatBinaryTest(unittest.TestCase):
    objects = []

    def test_holds_code_for_every_architecture(self):
        self.assertEqual(len(self.objects), 1)
        with open(self.objects[0], "rb") as stream:
            found = entries(stream.read())
        self.assertEqual(found, {(MACHINE_CODE, 80), (MACHINE_CODE, 90), (MACHINE_CODE, 100), (PTX, 100)})


if __name__ == "__main__":
    FatBinaryTest.objects = sys.argv[1:]
    del sys.argv[1:]
    xml_unittest.main()
