"""Ports that are free, and who listens at the others."""

import socket
import unittest

from processes import ports
from tools import xml_unittest


class PortsTest(unittest.TestCase):
    def test_a_port_with_a_listener_is_seen_and_not_free(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.assertEqual(ports.listening([port, port + 1]), [port])
            with self.assertRaisesRegex(OSError, "1 between"):
                ports.free_ports(1, port, port + 1)


if __name__ == "__main__":
    xml_unittest.main()
