# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the command line share: a folder with a workspace, and the program."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ.get('WATUKUY') or str(Path(__file__).resolve().parents[2] / 'build/dev/bin/watukuy')

# Due again at once, so that a test can tick as often as it likes.
AT_ONCE = {'min': '1ms', 'max': '1ms', 'adaptive': False, 'jitter': 0}


class Answer:
    """What one call of the program left behind."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)

    def __repr__(self):
        return f'exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}'


def call(*arguments, folder='/', timeout=120, environment=None, **popen):
    ended = subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=timeout,
                           env={**os.environ, **(environment or {})}, check=False, **popen)
    return Answer(ended.returncode, ended.stdout, ended.stderr)


def snapshot_poller(server, **more):
    return {
        'request': {'url': f'{server.url}/items', 'query': {'page': '${page}'}},
        'response': {'items': 'items', 'hasMore': 'more'},
        'identity': 'id',
        'cursor': {'strategy': 'snapshotDiff'},
        'schedule': AT_ONCE,
        'deliver': {'to': ['log']},
        **more,
    }


def timestamp_poller(server, **more):
    return {
        'request': {'url': f'{server.url}/changed',
                    'query': {'updated_since': '${cursor.value}', 'after_id': '${cursor.tieBreak}', 'limit': 500}},
        'response': {'items': 'items', 'hasMore': 'more'},
        'identity': 'id',
        'cursor': {'strategy': 'timestamp', 'field': 'updatedAt', 'tieBreak': 'id'},
        'schedule': AT_ONCE,
        'deliver': {'to': ['log']},
        **more,
    }


def workspace(pollers, **more):
    return {
        'version': 1,
        'store': {'kind': 'sqlite', 'path': 'store.db'},
        'sinks': {'log': {'kind': 'file', 'path': '${poller}.jsonl'}},
        'pollers': pollers,
        **more,
    }


class Folder:
    """A temporary folder with a workspace in it."""

    def __init__(self):
        self.path = Path(tempfile.mkdtemp(prefix='watukuy-cli-'))

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)

    def write(self, content, name='test.watukuy.json'):
        text = content if isinstance(content, str) else json.dumps(content, indent=2)
        (self.path / name).write_text(text, encoding='utf-8')

    def call(self, *arguments, **more):
        return call(*arguments, folder=self.path, **more)

    def start(self, *arguments, **popen):
        return subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.path, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **popen)

    def events(self, poller):
        """The events in the poller's file sink. Every line must be whole: a torn one fails here."""
        file = self.path / f'{poller}.jsonl'
        if not file.exists():
            return []
        return [json.loads(line) for line in file.read_text(encoding='utf-8').splitlines()]


class CliTest(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)

    def serve(self, server):
        self.addCleanup(server.close)
        return server

    def start(self, *arguments, **popen):
        process = self.folder.start(*arguments, **popen)

        def end():
            if process.poll() is None:
                process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                stream.close()
        self.addCleanup(end)
        return process

    def assert_exit(self, code, answer):
        self.assertEqual(answer.code, code, answer)
        return answer

    def assert_says(self, answer, *words):
        for word in words:
            self.assertIn(word, answer.err, answer)

    def wait_until(self, happened, what, seconds=20):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if happened():
                return
            time.sleep(0.02)
        self.fail(f'{what}: not within {seconds} s')

    def stop(self, process, sig=signal.SIGTERM, seconds=20):
        """Sends the signal; answers with what the program left behind."""
        process.send_signal(sig)
        out, err = process.communicate(timeout=seconds)
        return Answer(process.returncode, out, err)
