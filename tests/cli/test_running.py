#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`run`, `demo` and `demo-api`: what goes on until somebody ends it."""
import json
import re
import signal
import time
import unittest
import urllib.request

from harness import CliTest, snapshot_poller, workspace
from server import Server

OFTEN = {'min': '50ms', 'max': '50ms', 'adaptive': False, 'jitter': 0}


class Run(CliTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve(Server(20, page_size=10))
        self.folder.write(workspace({'catalog': snapshot_poller(self.server, schedule=OFTEN)}))

    def delivered(self, count):
        self.wait_until(lambda: len(self.folder.events('catalog')) >= count, f'{count} events')

    def test_each_delivered_event_is_a_line(self):
        answer = self.assert_exit(0, self.folder.call('run', '--for', '2s'))
        lines = answer.out.splitlines()
        self.assertEqual(len(lines), 20, answer)
        for line in lines:
            self.assertRegex(line, r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z catalog created \d+$')

    def test_with_json_each_event_is_one_object_a_line(self):
        answer = self.assert_exit(0, self.folder.call('--json', 'run', '--for=2s'))
        events = [json.loads(line) for line in answer.out.splitlines()]
        self.assertEqual(len(events), 20)
        self.assertEqual({e['id'] for e in events}, {e['id'] for e in self.folder.events('catalog')})

    def test_changes_arrive_while_it_runs_and_a_signal_drains(self):
        for sig in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(sig):
                process = self.start('run')
                self.delivered(20)
                before = len(self.folder.events('catalog'))
                self.server.listing.change(update=(3, 17))
                self.delivered(before + 2)
                answer = self.assert_exit(0, self.stop(process, sig))
                self.assertEqual(self.folder.call('inspect', '--json').json[0]['outboxPending'], 0, answer)
                self.assertIsNone(self.folder.call('inspect', '--json').json[0]['lease'], 'the lease is given back')

    def test_a_second_signal_stops_at_once(self):
        self.server.delay(8)
        process = self.start('run')
        self.wait_until(lambda: self.server.requests, 'a request')
        process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        began = time.monotonic()
        self.stop(process)
        self.assertLess(time.monotonic() - began, 5)

    def test_it_ends_when_nobody_reads(self):
        process = self.start('run')
        process.stdout.readline()
        process.stdout.close()
        self.server.listing.change(update=(1,))
        self.assertEqual(process.wait(20), 0)
        self.assertNotIn('SIGPIPE', process.stderr.read())

    def test_an_edited_workspace_is_used_when_it_is_valid(self):
        other = self.serve(Server(5))
        process = self.start('run')
        self.delivered(20)
        self.folder.write('{ broken')
        time.sleep(1)
        self.server.listing.change(update=(1,))
        self.delivered(21)
        self.folder.write(workspace({'catalog': snapshot_poller(self.server, schedule=OFTEN),
                                     'second': snapshot_poller(other, schedule=OFTEN)}))
        self.wait_until(lambda: len(self.folder.events('second')) == 5, 'the second poller')
        answer = self.assert_exit(0, self.stop(process))
        self.assert_says(answer, 'not valid', 'The changed workspace is in use')
        self.assertEqual(len(self.folder.events('catalog')), 21, 'the cursor is kept')

    def test_an_edited_workspace_that_cannot_run_leaves_the_old_one_at_work(self):
        process = self.start('run')
        self.delivered(20)
        self.folder.write(workspace({'catalog': snapshot_poller(self.server, schedule=OFTEN, deliver={'to': ['k']})},
                                    sinks={'k': {'kind': 'kafka', 'brokers': 'localhost', 'topic': 't'}}))
        time.sleep(2)
        self.server.listing.change(update=(1,))
        self.delivered(21)
        self.assert_says(self.assert_exit(0, self.stop(process)), 'cannot be run; the old one goes on', 'kafka')

    def test_two_signals_at_once_end_it_like_two_signals(self):
        process = self.start('run')
        self.delivered(20)
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
        self.assertIn(process.wait(20), (0, 1))

    def test_pause_and_trigger_of_another_process_reach_a_running_engine(self):
        self.folder.write(workspace({'catalog': snapshot_poller(self.server, schedule={'min': '1h', 'max': '1h'})}))
        process = self.start('run')
        self.delivered(20)
        self.server.listing.change(update=(9,))
        self.assert_exit(0, self.folder.call('trigger', 'catalog'))
        self.delivered(21)
        self.assert_exit(0, self.folder.call('pause', 'catalog'))
        self.assert_exit(0, self.stop(process))

    def test_a_tick_beside_a_running_cycle_is_skipped_as_leased(self):
        self.server.delay(2)
        process = self.start('run')
        self.wait_until(lambda: self.server.requests, 'a request')
        self.assertEqual(self.assert_exit(0, self.folder.call('tick', '--json')).json[0]['skipped'], 'leased')
        self.server.delay(0)
        self.delivered(20)
        self.assert_exit(0, self.stop(process))


class ManyTicks(CliTest):
    def test_many_first_ticks_at_once_make_one_store_and_each_event_once(self):
        server = self.serve(Server(50))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        ticks = [self.start('tick') for _ in range(8)]
        for tick in ticks:
            out, err = tick.communicate(timeout=60)
            self.assertEqual(tick.returncode, 0, out + err)
        self.assertEqual(len({e['id'] for e in self.folder.events('catalog')}), 50)
        self.assertEqual(len(self.folder.events('catalog')), 50)


class TickAndSignals(CliTest):
    def test_a_signal_ends_a_tick_at_a_page_and_the_next_goes_on_there(self):
        server = self.serve(Server(200, page_size=10))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        server.delay(0.2)
        process = self.start('tick')
        self.wait_until(lambda: len(server.requests) >= 4, 'some pages')
        began = time.monotonic()
        self.assert_exit(0, self.stop(process))
        self.assertLess(time.monotonic() - began, 2)
        before = len(self.folder.events('catalog'))
        self.assertTrue(10 < before < 200, before)
        server.delay(0)
        del server.requests[:]
        self.assert_exit(0, self.folder.call('tick'))
        self.assertEqual(len(self.folder.events('catalog')), 200)
        self.assertNotIn('/items?page=1', server.requests, 'the scan is resumed, not repeated')

    def test_a_second_signal_ends_a_tick_at_once(self):
        server = self.serve(Server(20))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        server.delay(8)
        process = self.start('tick')
        self.wait_until(lambda: server.requests, 'a request')
        process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        began = time.monotonic()
        self.assert_exit(1, self.stop(process))
        self.assertLess(time.monotonic() - began, 4)


class Demo(CliTest):
    def test_demo_api_serves_a_listing_until_it_is_stopped(self):
        process = self.start('demo-api', '--port', '0')
        url = re.search(r'http://127\.0\.0\.1:\d+', process.stdout.readline())[0]
        with urllib.request.urlopen(f'{url}/orders', timeout=5) as answer:
            self.assertEqual(answer.status, 200)
            json.load(answer)
        self.assert_exit(0, self.stop(process))

    def test_a_port_that_is_taken_is_explained(self):
        server = self.serve(Server())
        port = server.url.rsplit(':', 1)[1]
        self.assert_says(self.assert_exit(1, self.folder.call('demo-api', '--port', port)), port)

    def test_the_demo_prints_events_and_ends(self):
        answer = self.assert_exit(0, self.folder.call('demo', '--for', '6s'))
        lines = answer.out.splitlines()
        self.assertGreater(len(lines), 5, answer)
        for line in lines:
            self.assertRegex(line, r'^\d{4}-\S+Z \S+ (created|updated|deleted) \S+')
        self.assertEqual(list(self.folder.path.iterdir()), [], 'the demo leaves nothing behind')

    def test_the_demo_keeps_its_files_where_it_is_told(self):
        self.assert_exit(0, self.folder.call('demo', '--for', '4s', '--folder', 'kept', '--json'))
        names = [p.name for p in (self.folder.path / 'kept').iterdir()]
        self.assertTrue(any(name.endswith('.watukuy.json') for name in names), names)
        file = self.folder.path / 'kept' / 'demo.watukuy.json'
        edited = file.read_text().replace('"environment": "demo"', '"environment": "mine"')
        file.write_text(edited)
        self.assert_exit(0, self.folder.call('demo', '--for', '1s', '--folder', 'kept', '--json'))
        self.assertIn('"environment": "mine"', file.read_text())


if __name__ == '__main__':
    unittest.main()
