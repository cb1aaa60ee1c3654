"""Tests //image_datasets:fetch with a local server that can misbehave."""

import functools
import gzip
import hashlib
import http.server
import os
import re
import resource
import shutil
import subprocess
import tempfile
import threading
import unittest

from tools import xml_unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(xml_unittest.__file__)))
FETCH = os.path.join(ROOT, "image_datasets", "fetch")
PUBLISHED = os.path.join(ROOT, "image_datasets", "embedded")
DATASET = "embedded_fashion_mnist"
LARGEST = "train-images-idx3-ubyte.gz"


class Server(http.server.ThreadingHTTPServer):
    """Serves `folder`, with ranges. `misbehave(handler, path, body)` may reply instead (True)."""

    daemon_threads = True

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = folder
        self.requests = []
        self.misbehave = lambda handler, path, body: False
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def url(self):
        return "http://127.0.0.1:%d/" % self.server_address[1]


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_GET(self):
        path = os.path.join(self.server.folder, os.path.basename(self.path))
        requested = self.headers.get("Range")
        self.server.requests.append((os.path.basename(path), requested))
        if not os.path.exists(path):
            self.send_error(404)
            return
        with open(path, "rb") as file:
            body = file.read()
        if self.server.misbehave(self, path, body):
            return
        begin = int(re.match(r"bytes=(\d+)-", requested).group(1)) if requested else 0
        if begin >= len(body) > 0:
            self.send_error(416)
            return
        self.answer(206 if requested else 200, body[begin:], begin, len(body))

    def answer(self, status, body, begin=0, whole=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if status == 206:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (begin, whole - 1, whole))
        self.end_headers()
        self.wfile.write(body)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class FetchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.target = os.path.join(self.folder, DATASET)
        self.server = Server(PUBLISHED)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def fetch(self, *arguments, preexec_fn=None, base_url=None):
        return subprocess.run(
            [FETCH, DATASET, "--data-dir", self.folder, "--base-url", base_url or self.server.url(), *arguments],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=preexec_fn,
            timeout=120,
        )

    def part(self):
        return os.path.join(self.target, LARGEST + ".part")

    def whole(self):
        return os.path.join(self.target, LARGEST)

    def check_all_there(self):
        self.assertEqual(
            sorted(os.listdir(self.target)), sorted(name for name in os.listdir(PUBLISHED) if name.endswith(".gz"))
        )
        for name in os.listdir(self.target):
            self.assertEqual(digest(os.path.join(self.target, name)), digest(os.path.join(PUBLISHED, name)))

    def test_gets_all_files_and_keeps_good_ones(self):
        first = self.fetch()
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("got 5089 bytes, good", first.stdout)
        self.check_all_there()
        self.assertEqual(len(self.server.requests), 4)
        second = self.fetch()
        self.assertEqual(second.returncode, 0)
        self.assertEqual(second.stdout.count("already there, good"), 4)
        self.assertEqual(len(self.server.requests), 4)

    def test_is_quiet_on_stderr_without_a_terminal(self):
        self.assertEqual(self.fetch().stderr, "")

    def test_file_urls_work(self):
        done = self.fetch(base_url="file://" + os.path.realpath(PUBLISHED))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_all_there()

    def test_goes_on_where_it_stopped(self):
        os.makedirs(self.target)
        with open(os.path.join(PUBLISHED, LARGEST), "rb") as file:
            begun = file.read(1000000)
        with open(self.part(), "wb") as file:
            file.write(begun)
        done = self.fetch()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn((LARGEST, "bytes=1000000-"), self.server.requests)
        self.assertIn("got 3354256 bytes", done.stdout)
        self.check_all_there()

    def test_a_complete_part_is_enough(self):
        os.makedirs(self.target)
        shutil.copyfile(os.path.join(PUBLISHED, LARGEST), self.part())
        done = self.fetch()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_all_there()

    def test_starts_anew_where_the_server_knows_no_ranges(self):
        os.makedirs(self.target)
        with open(self.part(), "wb") as file:
            file.write(b"begun")

        def whole_files_only(handler, _, body):
            handler.answer(200, body)
            return True

        self.server.misbehave = whole_files_only
        done = self.fetch()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_all_there()

    def test_a_damaged_part_is_thrown_away(self):
        os.makedirs(self.target)
        with open(self.part(), "wb") as file:
            file.write(b"x" * 1000)
        done = self.fetch()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_all_there()

    def test_a_broken_connection_is_tried_again(self):
        broken = []

        def break_once(handler, path, body):
            if path.endswith(LARGEST) and not broken:
                broken.append(path)
                handler.send_response(200)
                handler.send_header("Content-Length", str(len(body)))
                handler.end_headers()
                handler.wfile.write(body[:300000])
                return True
            return False

        self.server.misbehave = break_once
        done = self.fetch()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(broken), 1)
        self.assertTrue(any(name == LARGEST and asked for name, asked in self.server.requests))
        self.check_all_there()

    def test_wrong_content_is_refused_and_the_old_file_stays(self):
        os.makedirs(self.target)
        with open(self.whole(), "wb") as file:
            file.write(b"old")

        def wrong(handler, _, __):
            handler.answer(200, gzip.compress(b"something else"))
            return True

        self.server.misbehave = wrong
        done = self.fetch("--attempts", "2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("SHA-256 of the content is", done.stderr)
        self.assertIn("wanted d33512cfdc63", done.stderr)
        with open(self.whole(), "rb") as file:
            self.assertEqual(file.read(), b"old")
        self.assertFalse(os.path.exists(self.part()))

    def test_an_archive_of_endless_content_is_refused(self):
        content = 400 << 20
        archive = gzip.compress(bytes(content), compresslevel=1)

        def bomb(handler, path, _):
            if path.endswith(LARGEST):
                handler.answer(200, archive)
                return True
            return False

        self.server.misbehave = bomb
        done = self.fetch("--attempts", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("SHA-256 of the content is", done.stderr)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        self.assertLess(peak, content)

    def test_a_server_that_does_not_stop_is_cut_off(self):
        def endless(handler, _, __):
            handler.answer(200, bytes(20 << 20))
            return True

        self.server.misbehave = endless
        done = self.fetch("--attempts", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("sends more than the", done.stderr)

    def test_missing_files_and_servers_are_named(self):
        with tempfile.TemporaryDirectory() as empty:
            self.server.folder = empty
            done = self.fetch()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("error: 404"), 4)  # a port may hold these digits too
        self.server.shutdown()
        self.server.server_close()
        done = self.fetch("--attempts", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("[Download] http://127.0.0.1", done.stderr)

    def test_a_full_disk_leaves_the_old_file_and_can_be_gone_on_from(self):
        os.makedirs(self.target)
        with open(self.whole(), "wb") as file:
            file.write(b"old")
        limit = (1 << 20, 1 << 20)
        done = self.fetch(preexec_fn=functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, limit))
        self.assertEqual(done.returncode, 1)
        self.assertIn("File too large", done.stderr)
        with open(self.whole(), "rb") as file:
            self.assertEqual(file.read(), b"old")
        self.assertEqual(os.path.getsize(self.part()), 1 << 20)
        done = self.fetch()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_all_there()

    def test_two_at_once_do_not_mix_their_bytes(self):
        hold = threading.Event()

        def slow(handler, path, body):
            if path.endswith(LARGEST):
                handler.send_response(200)
                handler.send_header("Content-Length", str(len(body)))
                handler.end_headers()
                handler.wfile.write(body[:1000])
                hold.wait(60)
                handler.wfile.write(body[1000:])
                return True
            return False

        self.server.misbehave = slow
        first = threading.Thread(target=self.fetch)
        first.start()
        while not os.path.exists(self.part()) or os.path.getsize(self.part()) == 0:
            pass
        second = self.fetch()
        hold.set()
        first.join()
        self.assertEqual(second.returncode, 1)
        self.assertIn("another process is writing", second.stderr)
        self.check_all_there()

    def test_help_shows_examples(self):
        done = subprocess.run([FETCH, "--help"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn("./bazelw run //image_datasets:fetch -- fashion_mnist mnist", done.stdout)

    def test_wrong_usage_is_exit_code_2(self):
        for arguments in (["cifar"], ["--attempts=0"], ["--nonsense"]):
            done = subprocess.run([FETCH, *arguments], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, arguments)

    def test_a_dataset_without_addresses_says_so(self):
        done = subprocess.run([FETCH, DATASET, "--data-dir", self.folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not published anywhere; give a base URL", done.stderr)


if __name__ == "__main__":
    xml_unittest.main()
