#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input: a clear error with the next step, the exit code of the specification, nothing lost, no crash."""
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import PROGRAM, CliTest, snapshot_poller, workspace
from server import Server

NOTHING = {'created': 0, 'updated': 0, 'deleted': 0}


class Workspaces(CliTest):
    def refused(self, content, *words):
        self.folder.write(content)
        answer = self.assert_exit(2, self.folder.call('validate'))
        self.assert_says(answer, *words)
        self.assertEqual(self.folder.call('tick').code, 2)
        self.assertEqual([p.name for p in self.folder.path.iterdir()], ['test.watukuy.json'], 'nothing is made beside it')
        return answer

    def test_what_is_no_json_is_named_with_its_line(self):
        for content, words in (('', ()), ('{', ()), ('[]', ()), ('{"version": 1,\n "pollers": {},\n}', ('test.watukuy.json:2', 'railing comma')),
                               ('{"version": 1,\n // why\n "pollers": {}}', ('test.watukuy.json:2', 'omment')),
                               ('\x00\x01\x02', ()), ('{"version": 1} trailing', ()), ('[' * 5000, ())):
            with self.subTest(content[:40]):
                self.refused(content, 'test.watukuy.json', *words)

    def test_a_name_that_stands_twice_is_refused(self):
        self.refused('{"version": 1, "store": {"kind": "memory"}, "sinks": {}, "pollers": {"a": {}, "a": {}}}', '/pollers/a')

    def test_unknown_keys_name_the_nearest_known_one(self):
        for content, pointer, nearest in ((workspace({}, sorce=1), '/sorce', 'store'),
                                          (workspace({}, polers={}), '/polers', 'pollers')):
            with self.subTest(pointer):
                self.refused(content, pointer)
        server = self.serve(Server(1))
        self.refused(workspace({'a': snapshot_poller(server, scheduel={})}), '/pollers/a/scheduel', 'schedule')
        self.assertEqual(server.requests, [])

    def test_names_that_point_nowhere_are_refused(self):
        server = self.serve(Server(1))
        for more, pointer in (({'deliver': {'to': ['lgo']}}, '/pollers/a/deliver/to'), ({'budget': 'erp'}, '/pollers/a/budget')):
            with self.subTest(pointer):
                self.refused(workspace({'a': snapshot_poller(server, **more)}), pointer)

    def test_wrong_types_and_values_are_refused(self):
        server = self.serve(Server(1))
        for more, pointer in (({'identity': 7}, '/pollers/a/identity'), ({'schedule': {'min': 5}}, '/pollers/a/schedule/min'),
                              ({'schedule': {'min': '5 parsecs'}}, '/pollers/a/schedule/min'),
                              ({'cursor': {'strategy': 'psychic'}}, '/pollers/a/cursor/strategy'),
                              ({'request': {}}, '/pollers/a/request'),
                              ({'request': {'url': '${cursor.nothing'}}, '/pollers/a/request/url')):
            with self.subTest(pointer):
                self.refused(workspace({'a': snapshot_poller(server, **more)}), pointer)

    def test_a_bad_poller_name_is_refused(self):
        server = self.serve(Server(1))
        self.refused(workspace({'../escape': snapshot_poller(server)}), '/pollers/..~1escape')

    def test_json_is_answered_even_when_there_is_no_workspace(self):
        answer = self.assert_exit(2, self.folder.call('validate', '--json')).json
        self.assertFalse(answer['ok'])
        self.assertIn('watukuy.json', answer['errors'][0]['message'])

    def test_a_folder_in_the_place_of_the_file_is_refused(self):
        (self.folder.path / 'x.watukuy.json').mkdir()
        self.assert_exit(2, self.folder.call('--workspace', 'x.watukuy.json', 'validate'))


class Servers(CliTest):
    def failing(self, url, *words, **more):
        poller = {'request': {'url': url, 'timeout': '2s'}, 'response': {'items': 'items'}, 'identity': 'id',
                  'cursor': {'strategy': 'snapshotDiff'}, 'deliver': {'to': ['log']}, **more}
        self.folder.write(workspace({'a': poller}))
        answer = self.assert_exit(1, self.folder.call('tick', '--json'))
        self.assert_says(answer, 'a:', *words)
        self.assertEqual(answer.json[0]['events'], NOTHING)
        self.assertIsNotNone(answer.json[0]['error'])
        key = self.folder.call('inspect', '--json').json[0]
        self.assertEqual((key['state'], key['schedule']['consecutiveFailures']), ('BackingOff', 1))
        self.assertEqual(self.folder.events('a'), [])
        return answer

    def test_an_unreachable_host_is_explained(self):
        with socket.socket() as taken: # bound but not listening: connections are refused
            taken.bind(('127.0.0.1', 0))
            self.failing(f'http://127.0.0.1:{taken.getsockname()[1]}/items', '127.0.0.1')

    def test_a_host_that_does_not_exist_is_explained(self):
        self.failing('http://nowhere.invalid/items', 'nowhere.invalid')

    def test_a_login_page_is_not_a_listing(self):
        server = self.serve(Server(0))
        server.answer('/x', 200, b'<html>Log in</html>', {'Content-Type': 'text/html'})
        self.failing(f'{server.url}/x', 'text/html')

    def test_a_body_that_is_cut_short_emits_nothing(self):
        server = self.serve(Server(0))
        server.answer('/x', 200, b'{"items":[{"id":1},{"id":2}', None)
        self.failing(f'{server.url}/x')

    def test_a_wrong_items_path_names_the_keys_that_were_there(self):
        server = self.serve(Server(3))
        self.failing(f'{server.url}/items', 'data', 'items', response={'items': 'data'})

    def test_a_secret_that_is_not_there_is_named(self):
        server = self.serve(Server(3))
        poller = snapshot_poller(server)
        poller['request']['credential'] = 'shop'
        self.folder.write(workspace({'a': poller}, credentials={'shop': {'kind': 'bearer', 'token': '${env:NO_SUCH_TOKEN}'}}))
        self.assert_says(self.assert_exit(1, self.folder.call('tick')), 'NO_SUCH_TOKEN')
        self.assertEqual(server.requests, [])


class Stores(CliTest):
    def with_store(self, path):
        server = self.serve(Server(5))
        self.folder.write(workspace({'a': snapshot_poller(server)}, store={'kind': 'sqlite', 'path': path}))
        return server

    def test_a_file_that_is_no_database_is_left_alone(self):
        server = self.with_store('notes.txt')
        notes = self.folder.path / 'notes.txt'
        notes.write_bytes(b'These are my notes, and they are longer than a page header of a database. ' * 200)
        before = notes.read_bytes()
        for words in (('tick',), ('run', '--for', '1s'), ('inspect',), ('migrate',)):
            with self.subTest(words):
                self.assert_says(self.assert_exit(1, self.folder.call(*words)), 'notes.txt')
        self.assertEqual(notes.read_bytes(), before)
        self.assertEqual(sorted(p.name for p in self.folder.path.iterdir()), ['notes.txt', 'test.watukuy.json'])
        self.assertEqual(server.requests, [])

    def test_a_database_of_another_program_is_left_alone(self):
        self.with_store('other.db')
        with sqlite3.connect(self.folder.path / 'other.db') as other:
            other.execute('CREATE TABLE customers (name TEXT)')
            other.execute("INSERT INTO customers VALUES ('kept')")
        other.close()
        before = (self.folder.path / 'other.db').read_bytes()
        self.assert_says(self.assert_exit(1, self.folder.call('tick')), 'other.db')
        self.assertEqual((self.folder.path / 'other.db').read_bytes(), before)

    def test_a_database_of_a_newer_version_is_left_alone(self):
        self.with_store('store.db')
        self.assert_exit(0, self.folder.call('tick'))
        store = sqlite3.connect(self.folder.path / 'store.db')
        version = store.execute('PRAGMA user_version').fetchone()[0]
        self.assertGreater(version, 0)
        store.execute(f'PRAGMA user_version = {version + 1}')
        store.commit()
        store.close()
        before = (self.folder.path / 'store.db').read_bytes()
        self.assert_says(self.assert_exit(1, self.folder.call('tick')), 'store.db', 'newer')
        self.assertEqual((self.folder.path / 'store.db').read_bytes(), before)

    def test_a_damaged_database_is_not_deleted(self):
        self.with_store('store.db')
        self.assert_exit(0, self.folder.call('tick'))
        store = self.folder.path / 'store.db'
        whole = store.read_bytes()
        store.write_bytes(whole[:100] + os.urandom(len(whole) - 100))
        damaged = store.read_bytes()
        for name in ('store.db-wal', 'store.db-shm'):
            (self.folder.path / name).unlink(missing_ok=True)
        self.assert_says(self.assert_exit(1, self.folder.call('tick')), 'store.db')
        self.assertEqual(store.read_bytes(), damaged)

    def test_a_store_that_cannot_be_made_is_explained(self):
        (self.folder.path / 'file').write_text('')
        for path in ('file/store.db', '/proc/store.db'): # not even root can write there
            with self.subTest(path):
                server = self.with_store(path)
                self.assert_says(self.assert_exit(1, self.folder.call('tick')), 'store.db')
                self.assertEqual(server.requests, [])

    @unittest.skipIf(os.geteuid() == 0, 'root may write everywhere: file modes mean nothing here')
    def test_a_folder_without_write_permission_is_explained(self):
        (self.folder.path / 'shut').mkdir(mode=0o500)
        self.with_store('shut/store.db')
        self.assert_says(self.assert_exit(1, self.folder.call('tick')), 'shut')


class Sinks(CliTest):
    def test_a_sink_that_cannot_be_written_holds_its_events(self):
        server = self.serve(Server(5))
        poller = snapshot_poller(server, deliver={'to': ['log'], 'retry': {'attempts': 2, 'backoff': {'base': '1ms', 'max': '1ms'}}})
        (self.folder.path / 'file').write_text('')
        bad = {'log': {'kind': 'file', 'path': 'file/${poller}.jsonl'}}
        self.folder.write(workspace({'a': poller}, sinks=bad))
        self.folder.call('tick')
        self.folder.call('tick')
        key = self.folder.call('inspect', '--json').json[0]
        self.assertEqual((key['outboxPending'], key['parked']), (5, 0), key)
        self.folder.write(workspace({'a': poller}))
        self.wait_until(lambda: self.folder.call('tick').code == 0 and len(self.folder.events('a')) == 5, 'all delivered later')
        self.assertEqual(self.folder.call('inspect', '--json').json[0]['outboxPending'], 0)


class FullDisk(CliTest):
    def on_small_disk(self, megabytes, script):
        """Runs a shell script in a folder on a file system of that size, in a mount namespace of its own."""
        tools = ('unshare', 'mount')
        if not all(map(shutil.which, tools)):
            self.skipTest('needs unshare and mount')
        probe = subprocess.run(['unshare', '-rm', 'mount', '-t', 'tmpfs', 'none', self.folder.path], capture_output=True, check=False)
        if probe.returncode != 0:
            self.skipTest('this machine allows no mounts in a namespace: ' + probe.stderr.decode().strip())
        return subprocess.run(
            ['unshare', '-rm', 'sh', '-c', f'mount -t tmpfs -o size={megabytes}m none "$1" && cp "$2" "$1" && cd "$1" && {script}',
             'sh', self.folder.path, self.workspace_file], capture_output=True, text=True, check=False, timeout=120)

    def test_nothing_is_half_written_and_it_resumes_when_there_is_room(self):
        server = self.serve(Server(20000, page_size=2000))
        self.folder.write(workspace({'a': snapshot_poller(server, retain='payload')}, lease={'ttl': '500ms', 'renewEvery': '100ms'}))
        keep = Path(tempfile.mkdtemp(prefix='watukuy-cli-'))
        self.addCleanup(shutil.rmtree, keep)
        self.workspace_file = keep / 'test.watukuy.json'
        shutil.move(self.folder.path / 'test.watukuy.json', keep)
        ended = self.on_small_disk(4, f'''
            "{PROGRAM}" tick >{keep}/first 2>&1; echo "first $?"; cat {keep}/first; stat -c "store %s" store.db
            mount -o remount,size=200m none "$1"
            for i in 1 2 3 4 5 6 7 8 9; do
                sleep 1; "{PROGRAM}" trigger a >/dev/null; "{PROGRAM}" tick >{keep}/last 2>&1; echo "then $?"
                grep -q complete {keep}/last && break
            done
            cat {keep}/last; echo events; cat a.jsonl''')
        before, _, lines = ended.stdout.partition('\nevents\n')
        self.assertIn('first 1', before, before + ended.stderr)
        self.assertRegex(before, '[Ff]ull|space')
        self.assertIn('complete', before, before + ended.stderr)
        self.assertEqual({json.loads(line)['subject'] for line in lines.splitlines()}, set(server.listing.state()))


if __name__ == '__main__':
    unittest.main()
