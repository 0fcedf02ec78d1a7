#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""100 times SIGKILL at a random instant of a tick, with changes in between: nothing is lost (promises G1, G2, G3, G9).

The consumer is the one the promises speak of: it drops repeated ids and applies the rest in the order of the file.
WATUKUY_SEED repeats a run.
"""
import os
import random
import subprocess
import time
import unittest

from harness import CliTest, snapshot_poller, timestamp_poller, workspace
from server import Server

KILLS = 100
ITEMS = 5000


class KillTicks(CliTest):
    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get('WATUKUY_SEED') or random.randrange(1 << 32))
        self.random = random.Random(self.seed)
        self.catalog = self.serve(Server(ITEMS, page_size=500))
        self.orders = self.serve(Server(ITEMS))
        self.folder.write(workspace({'catalog': snapshot_poller(self.catalog), 'orders': timestamp_poller(self.orders)},
                                    lease={'ttl': '400ms', 'renewEvery': '100ms'}))

    def change_something(self):
        living = list(self.catalog.listing.items)
        chosen = self.random.sample(living, 60)
        self.catalog.listing.change(add=self.random.randrange(30), update=chosen[:40], delete=chosen[40:])
        # A timestamp cursor sees no deletes.
        self.orders.listing.change(add=self.random.randrange(30), update=self.random.sample(list(self.orders.listing.items), 40))

    def whole_tick(self):
        """A tick that nobody kills; waits while leases of killed ones run out."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            answer = self.folder.call('tick', '--json', '--max-duration', '60s')
            if not any(result['skipped'] == 'leased' for result in answer.json):
                self.assertEqual(answer.code, 0, answer)
                return answer.json
            time.sleep(0.05)
        self.fail('the leases of killed ticks never ran out')

    def killed_tick(self, longest):
        """Starts a tick and kills it after a random time; true when it died of that."""
        process = self.folder.start('tick', '--max-duration', '60s')
        try:
            process.wait(self.random.uniform(0, longest))
        except subprocess.TimeoutExpired:
            process.kill()
        out, err = process.communicate()
        self.assertIn(process.returncode, (0, -9), f'{out}\n{err}')
        return process.returncode == -9

    def consumed(self, poller):
        """What a consumer that drops repeated ids has, after checks of every promise about ids and order."""
        state, seen, last = {}, {}, {}
        for event in self.folder.events(poller):
            again = {**event, 'attempt': 0}
            if event['id'] in seen:
                self.assertEqual(seen[event['id']], again, 'one id, two different events')
                continue
            seen[event['id']] = again
            subject = event['subject']
            self.assertGreater(event['sequence'], last.get(subject, 0), f'{subject} is out of order')
            last[subject] = event['sequence']
            if event['type'] == 'deleted':
                self.assertIn(subject, state)
                del state[subject]
                continue
            self.assertEqual(event['type'] == 'created', subject not in state, event)
            if subject in state:
                self.assertGreater(event['data']['revision'], state[subject]['revision'])
            state[subject] = event['data']
        return state

    def settle(self):
        # The first pass may only finish a scan that a killed one began before the last changes.
        self.whole_tick()
        self.whole_tick()
        self.check()

    def check(self):
        self.assertEqual(self.consumed('catalog'), self.catalog.listing.state())
        self.assertEqual(self.consumed('orders'), self.orders.listing.state())

    def test_the_consumer_notices_what_is_lost_or_out_of_order(self):
        self.settle()
        log = self.folder.path / 'catalog.jsonl'
        lines = log.read_text().splitlines(keepends=True)
        changed = self.random.sample(list(self.catalog.listing.items), 1)
        self.catalog.listing.change(update=changed)
        self.catalog.listing.change(delete=changed)
        log.write_text(''.join(lines[1:]))
        with self.assertRaises(AssertionError):
            self.check()
        log.write_text(''.join(lines))
        self.settle()
        lines = log.read_text().splitlines(keepends=True)
        self.assertIn('"deleted"', lines[-1])
        log.write_text(lines[-1] + ''.join(lines[:-1]))
        with self.assertRaises(AssertionError):
            self.check()

    def test_a_hundred_kills_lose_nothing(self):
        print(f'\n  seed {self.seed}', end=' ', flush=True)
        # The very first ticks are killed, too: migration, the first pages, the first events.
        longest, died = 0.5, 0
        for _ in range(20):
            died += self.killed_tick(longest)
        self.settle()
        self.change_something()
        began = time.monotonic()
        self.whole_tick()
        longest = (time.monotonic() - began) * 1.2

        while died < KILLS:
            self.change_something()
            time.sleep(0.4 * self.random.random()) # sometimes before, sometimes after the lease ran out
            died += self.killed_tick(longest)
            if self.random.random() < 0.15:
                self.settle()
        self.settle()
        for poller in ('catalog', 'orders'):
            left = self.folder.call('inspect', poller, '--json').json[0]
            self.assertEqual((left['outboxPending'], left['parked']), (0, 0), left)
        self.assertEqual([r['delivered'] for r in self.whole_tick()], [0, 0])


if __name__ == '__main__':
    unittest.main()
