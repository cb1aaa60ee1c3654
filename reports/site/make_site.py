"""Makes the site: a folder of pages of all answers, readable without a network.

Examples:
  ./bazelw run //reports:site                                     what the stored answers say, in results/site; not
                                                                  in the wheel, which does not have them judged
  ./bazelw run //reports:site -- --output=mine mine.json          results of //conformance:run of your own

Open index.html of the folder, or publish the folder (docs/ci/pages.yml). A folder that an earlier call wrote is
replaced.
Exit status: 0, 1 for a file that cannot be shown, 2 for a wrong command line.
"""

import argparse
import sys

from command_line import version_option
from command_line.user_paths import user_path
from reports import command
from reports.site import build, content, site_folder


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="site", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    version_option.add(parser)
    parser.add_argument("results", nargs="*", metavar="RESULT", help="JSON of //conformance:run [stored answers]")
    parser.add_argument("--output", metavar="FOLDER", default="results/site", help="folder to write [results/site]")
    return parser.parse_args(arguments)


def make(options):
    """Writes the folder. Errors: ReportError, OSError."""
    files = build.build(content.load([user_path(path) for path in options.results]))
    folder = user_path(options.output)
    site_folder.write(files, folder)
    size = sum(len(text.encode()) for text in files.values())
    print(f"wrote {len(files)} files, {size / 1e6:.1f} MB: {folder}/index.html")


def main(arguments=None):
    """Exit status 0, or 1 with a line on stderr that says what is wrong."""
    options = parse_arguments(arguments)
    return command.run(lambda: make(options))


if __name__ == "__main__":
    sys.exit(main())
