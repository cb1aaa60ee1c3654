"""The licences of bundled libraries."""

import unittest
from unittest import mock

from tools import xml_unittest
from tools.wheel import licences


class OriginalNameTest(unittest.TestCase):
    def test_the_hash_goes(self):
        self.assertEqual(licences.original_name("libfmt-1a2b3c4d.so.9.1.0"), "libfmt.so.9.1.0")
        self.assertEqual(licences.original_name("libldap-2-062bb940.5.so.0.1.8"), "libldap-2.5.so.0.1.8")
        self.assertEqual(licences.original_name("libabsl_base-12345678.so.20220623"), "libabsl_base.so.20220623")


class OfLibrariesTest(unittest.TestCase):
    def of(self, packages):
        with (
            mock.patch.object(licences, "installed_path", lambda name: name),
            mock.patch.object(licences, "package_of", packages.get),
        ):
            return licences.of_libraries(packages)

    def test_packages_come_once_with_their_copyright_files(self):
        found = self.of({"libgrpc.so": "libgrpc29", "libgpr.so": "libgrpc29", "libz.so": "zlib1g"})
        self.assertEqual(
            found,
            {
                "libgrpc29": ("Apache-2.0", "/usr/share/doc/libgrpc29/copyright"),
                "zlib1g": ("Zlib", "/usr/share/doc/zlib1g/copyright"),
            },
        )

    def test_an_unread_licence_stops(self):
        with self.assertRaisesRegex(licences.UnknownLicence, "for libreadline8: read"):
            self.of({"libreadline.so.8": "libreadline8"})

    def test_none_is_under_the_gpl_alone(self):
        alone = [
            name for name, licence in licences.LICENCES.items() if licence.startswith("GPL") and " " not in licence
        ]
        self.assertEqual(alone, [])


class InstalledPathTest(unittest.TestCase):
    def test_a_library_of_this_machine_has_a_package(self):
        self.assertEqual(licences.package_of(licences.installed_path("libz.so.1")), "zlib1g")

    def test_another_is_refused(self):
        with self.assertRaisesRegex(licences.UnknownLicence, "libnone.so.1: no library"):
            licences.installed_path("libnone.so.1")


if __name__ == "__main__":
    xml_unittest.main()
