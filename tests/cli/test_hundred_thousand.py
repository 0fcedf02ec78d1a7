#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A listing of 100,000 items: exactly 100,000 events, then none, then exactly what changed (C72)."""
import random
import time
import unittest

from harness import CliTest, snapshot_poller, workspace
from server import Server

COUNT = 100_000


class HundredThousand(CliTest):
    def tick(self):
        began = time.monotonic()
        result = self.assert_exit(0, self.folder.call('tick', '--max-duration', '10m', '--json', timeout=550)).json[0]
        print(f'\n  {result["items"]} items, {result["events"]}, {time.monotonic() - began:.1f} s', end=' ', flush=True)
        return result

    def test_C72_exactly_what_changed_becomes_an_event_and_the_tick_has_the_totals(self):
        server = self.serve(Server(COUNT, page_size=2000))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        first = self.tick()
        self.assertEqual((first['items'], first['pages'], first['delivered']), (COUNT, 50, COUNT))
        self.assertEqual(first['events'], {'created': COUNT, 'updated': 0, 'deleted': 0})
        events = self.folder.events('catalog')
        self.assertEqual(len(events), COUNT)
        self.assertEqual(len({e['id'] for e in events}), COUNT)
        self.assertEqual({e['subject']: e['data'] for e in events}, server.listing.state())

        second = self.tick()
        self.assertEqual((second['items'], second['delivered']), (COUNT, 0))
        self.assertEqual(second['events'], {'created': 0, 'updated': 0, 'deleted': 0})

        chosen = random.Random(7).sample(range(1, COUNT + 1), 700) # with the additions 1 %
        update, delete = chosen[:400], chosen[400:]
        server.listing.change(add=300, update=update, delete=delete)
        third = self.tick()
        self.assertEqual(third['events'], {'created': 300, 'updated': 400, 'deleted': 300})
        new = {(e['type'], int(e['subject'])) for e in self.folder.events('catalog')[COUNT:]}
        self.assertEqual(new, {('created', n) for n in range(COUNT + 1, COUNT + 301)} | {('updated', n) for n in update}
                         | {('deleted', n) for n in delete})
        self.assertEqual(self.tick()['delivered'], 0)


if __name__ == '__main__':
    unittest.main()
