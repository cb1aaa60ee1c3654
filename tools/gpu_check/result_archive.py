"""All results in one file, for machines that hand few files back."""

import os
import tarfile

from tools.gpu_check.places import TEMPORARY


def write(folder, path):
    """Puts the folder into the archive `path`, without temporary files; replaces an older archive atomically."""
    name = os.path.basename(folder)
    unwanted = {os.path.join(name, TEMPORARY)}
    aside = path + ".part"
    with tarfile.open(aside, "w:gz", compresslevel=1) as archive:
        for entry in sorted(os.listdir(folder)):
            inside = os.path.join(name, entry)
            if inside not in unwanted and os.path.join(folder, entry) not in (path, aside):
                archive.add(os.path.join(folder, entry), inside)
    os.replace(aside, path)
