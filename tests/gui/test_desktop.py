#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The desktop program itself, offscreen: the demo delivers, and it ends when it is told to."""
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ['WATUKUY_DESKTOP']


class Desktop(unittest.TestCase):
    def setUp(self):
        home = tempfile.TemporaryDirectory(prefix='watukuy-desktop-')
        self.addCleanup(home.cleanup)
        self.home = Path(home.name)
        self.environment = {**os.environ, 'QT_QPA_PLATFORM': 'offscreen', 'HOME': str(self.home),
                            'XDG_DATA_HOME': str(self.home), 'XDG_CONFIG_HOME': str(self.home),
                            'XDG_RUNTIME_DIR': str(self.home)}

    def start(self, *arguments):
        process = subprocess.Popen([PROGRAM, *arguments], env=self.environment, cwd=self.home, text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

        def end():
            process.kill()
            process.wait()
            process.stderr.close()
        self.addCleanup(end)
        return process

    def events(self):
        return sum(len(file.read_bytes().splitlines()) for file in self.home.rglob('*.jsonl'))

    def until(self, happened, seconds=20):
        deadline = time.monotonic() + seconds
        while not happened():
            self.assertLess(time.monotonic(), deadline, 'it did not happen in time')
            time.sleep(0.05)

    def test_the_demo_delivers_events_and_a_signal_ends_it(self):
        process = self.start('--demo')
        self.until(lambda: self.events() > 50)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(20), 0, process.stderr.read())

    def test_two_signals_end_it_at_once(self):
        process = self.start('--demo')
        self.until(lambda: self.events() > 0)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(20), 0)

    def test_a_workspace_with_mistakes_is_shown_and_the_program_lives(self):
        (self.home / 'broken.watukuy.json').write_text('{"version": 1, "pollrs": {}}')
        process = self.start('--workspace', 'broken.watukuy.json', '--for', '1')
        self.assertEqual(process.wait(20), 0)


if __name__ == '__main__':
    unittest.main()
