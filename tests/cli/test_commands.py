#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each command does on a workspace that works."""
import csv
import io
import json
import stat
import subprocess
import unittest

from harness import PROGRAM, CliTest, snapshot_poller, timestamp_poller, workspace
from server import Server

TICK_KEYS = {'poller', 'partition', 'lane', 'verdict', 'pages', 'items', 'events', 'delivered', 'durationMs', 'error',
             'skipped'}
INSPECT_KEYS = {'poller', 'partition', 'state', 'paused', 'lease', 'cursors', 'schedule', 'lastPoll', 'outboxPending',
                'parked', 'held', 'items', 'lagMs', 'waitingFor', 'warnings'}
SCHEDULE_KEYS = {'nextDueAt', 'intervalMs', 'consecutiveFailures', 'circuit', 'circuitOpenedAt', 'throttledUntil',
                 'rateLimit', 'lastPollAt', 'lastError', 'reason'}
LAST_POLL_KEYS = {'lane', 'startedAt', 'durationMs', 'pages', 'items', 'events', 'notModified', 'truncated', 'verdict'}
ENVELOPE_KEYS = ['id', 'type', 'source', 'subject', 'time', 'poller', 'partition', 'lane', 'sequence', 'cursor', 'data',
                 'attempt']


class Scope(CliTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve(Server(10))
        self.folder.write(workspace({'catalog': snapshot_poller(self.server, partitions={'list': [{'key': 'eu'}, {'key': 'us'}]})}))

    def test_a_partition_that_does_not_exist_is_a_mistake(self):
        for command in (('tick', '--only', 'catalog/e'), ('test', 'catalog', '--partition', 'e'),
                        ('inspect', 'catalog/e'), ('trigger', 'catalog', '--partition', 'e')):
            self.assert_says(self.assert_exit(2, self.folder.call(*command)), 'no partition "e"')
        self.assert_exit(0, self.folder.call('tick', '--only', 'catalog/eu'))

    def test_a_test_of_a_poller_with_partitions_names_one(self):
        self.assert_says(self.assert_exit(2, self.folder.call('test', 'catalog')), 'name one', '--partition eu')
        self.assert_exit(0, self.folder.call('test', 'catalog', '--partition', 'us'))


class Partitions(CliTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve(Server(10))
        self.list(['north', {'key': 'south', 'data': {'slug': 's'}}])
        self.folder.write(workspace({'catalog': snapshot_poller(self.server, partitions={'file': 'tenants.json'})}))

    def list(self, tenants):
        (self.folder.path / 'tenants.json').write_text(json.dumps(tenants))

    def json(self, *arguments, code=0):
        return self.assert_exit(code, self.folder.call(*arguments, '--json')).json

    def test_a_tick_lists_them_and_runs_each(self):
        ticked = self.json('tick')
        self.assertEqual([(row['partition'], row['items']) for row in ticked], [('north', 10), ('south', 10)])
        rows = self.json('partitions', 'ls', 'catalog')
        self.assertEqual([(row['partition'], row['listed'], row['data']) for row in rows],
                         [('north', True, None), ('south', True, {'slug': 's'})])
        self.assertIn('south', self.folder.call('partitions', 'ls', 'catalog').out)

    def test_refresh_has_a_dry_run_and_an_audit_row(self):
        dry = self.json('partitions', 'refresh', 'catalog', '--dry-run')
        self.assertEqual(dry['wouldAffect'], 2)
        self.assertEqual(self.json('partitions', 'ls', 'catalog'), [])
        self.assertEqual(self.json('partitions', 'refresh', 'catalog', '--reason', 'new tenant')['done'], 2)
        audit = self.json('audit')
        self.assertEqual((audit[0]['operation'], audit[0]['reason']), ('partitions refresh', 'new tenant'))
        self.assertEqual(self.json('partitions', 'refresh', 'catalog')['done'], 0)

    def test_only_what_is_no_longer_listed_can_be_removed(self):
        self.json('tick')
        self.assert_says(self.assert_exit(3, self.folder.call('partitions', 'remove', 'catalog', 'south')), 'still listed')
        self.list(['north'])
        self.assertIn('no longer listed, paused', self.json('partitions', 'refresh', 'catalog')['details'][0])
        self.assertEqual({row['partition']: row['skipped'] for row in self.json('tick')}['south'], 'paused')
        self.assertIn('goes on by itself', self.json('resume', 'catalog', '--partition', 'south')['details'][0])
        dry = self.json('partitions', 'remove', 'catalog', 'south', '--dry-run')
        self.assertIn('10 items', dry['details'][0])
        self.assertEqual(self.json('partitions', 'remove', 'catalog', 'south')['done'], 1)
        self.assertEqual([row['partition'] for row in self.json('inspect')], ['north'])
        self.assert_says(self.assert_exit(2, self.folder.call('partitions', 'remove', 'catalog', 'south')), 'no partition')

    def test_what_a_poller_left_behind_can_be_removed(self):
        self.json('tick')
        self.folder.write(workspace({'renamed': snapshot_poller(self.server, partitions={'file': 'tenants.json'})}))
        self.assertEqual([row['partition'] for row in self.json('partitions', 'ls', 'catalog')], ['north', 'south'])
        self.assertEqual(self.json('partitions', 'remove', 'catalog', 'south')['done'], 1)
        self.assertEqual([row['partition'] for row in self.json('partitions', 'ls', 'catalog')], ['north'])
        self.assert_exit(2, self.folder.call('trigger', 'catalog'))
        self.assert_exit(2, self.folder.call('partitions', 'ls', 'other'))

    def test_a_poller_without_partitions_says_so(self):
        self.assertIn('catalog: no partition is known yet; `watukuy partitions refresh catalog`', self.folder.call('inspect').out)
        (self.folder.path / 'tenants.json').write_text('[7]')
        self.json('tick', code=1)
        shown = self.folder.call('inspect').out
        self.assertIn('listing them failed', shown)
        self.assertIn('tenants.json', shown)
        self.assertEqual(self.json('inspect'), [])

    def test_a_listing_that_its_budget_has_no_room_for_is_told(self):
        self.folder.write(workspace({'catalog': snapshot_poller(self.server, budget='b', partitions={
            'request': {'url': self.server.url + '/items'}, 'items': 'items', 'key': 'id'})},
            budgets={'b': {'requests': 1, 'per': '1h', 'maxWait': '1s'}}))
        self.json('partitions', 'refresh', 'catalog')
        self.folder.write(workspace({'catalog': snapshot_poller(self.server, budget='b', partitions={
            'request': {'url': self.server.url + '/items?again'}, 'items': 'items', 'key': 'id'})},
            budgets={'b': {'requests': 1, 'per': '1h', 'maxWait': '1s'}}))
        ticked = self.folder.call('tick')
        self.assert_exit(0, ticked)
        self.assert_says(ticked, 'were not listed', 'budget')

    def test_a_name_of_the_api_steers_no_terminal(self):
        self.list(['no\u001b[2Jrth', 'so\u202euth\nx', 'e\u200bast\u2028'])
        self.json('tick')
        shown = self.folder.call('partitions', 'ls', 'catalog').out
        self.assertIn('no\\u001b[2Jrth', shown)
        self.assertIn('so\\u202euth x', shown)
        self.assertIn('e\\u200bast\\u2028', shown)
        self.assertNotIn('\u001b', shown)

    def test_a_file_that_is_broken_keeps_the_old_ones_and_is_told(self):
        self.json('tick')
        (self.folder.path / 'tenants.json').write_text('["north",\n 7]')
        self.assert_says(self.assert_exit(1, self.folder.call('partitions', 'refresh', 'catalog')), 'line 2', 'tenants.json')
        inspected = self.json('inspect')
        self.assertEqual(len(inspected), 2)
        self.assertEqual([warning['code'] for warning in inspected[0]['warnings']][-1], 'partitions-stale')
        self.assert_says(self.folder.call('partitions', 'ls', 'catalog'), 'failed')

    def test_a_first_listing_that_fails_fails_the_tick(self):
        (self.folder.path / 'tenants.json').unlink()
        ticked = self.json('tick', code=1)
        self.assertEqual(len(ticked), 1)
        self.assertIn('tenants.json', ticked[0]['error']['detail'])

    def test_a_test_finds_the_partitions_by_itself_and_writes_nothing(self):
        self.assert_exit(0, self.folder.call('test', 'catalog', '--partition', 'south'))
        self.assert_says(self.assert_exit(2, self.folder.call('test', 'catalog', '--partition', 'sout')), 'Did you mean "south"')
        self.assertFalse((self.folder.path / 'store.db').exists())

    def test_words_that_do_not_fit(self):
        self.assert_says(self.assert_exit(2, self.folder.call('partitions', 'drop', 'catalog')), 'ls, refresh and remove')
        self.assert_says(self.assert_exit(2, self.folder.call('partitions', 'remove', 'catalog')), 'PARTITION')
        self.assert_says(self.assert_exit(2, self.folder.call('partitions', 'ls', 'catalog', 'north')), 'north')
        self.assert_says(self.assert_exit(2, self.folder.call('partitions', 'ls', 'catalo')), 'Did you mean "catalog"')


class Explanations(CliTest):
    """What a person reads who does not know the API yet, or runs a tick by cron."""

    def setUp(self):
        super().setUp()
        self.server = self.serve(Server(10))

    def test_a_test_shows_which_items_would_not_pass(self):
        schema = {'properties': {'id': {'type': 'string'}}}
        self.folder.write(workspace({'catalog': snapshot_poller(self.server, schema=schema)}))
        tested = self.assert_exit(0, self.folder.call('test', 'catalog', '--json')).json
        self.assertEqual(tested['events'], [])
        self.assertEqual({(warning['code'], warning['key']) for warning in tested['warnings']}, {('invalid-item', 'schema')})
        self.assertIn('/id', tested['warnings'][0]['message'])
        self.assertIn('10 items of a page would be parked', tested['warnings'][0]['message'])
        self.assertEqual(len(tested['warnings']), 1)

    def test_a_test_notices_an_api_that_ignores_the_page(self):
        self.folder.write(workspace({'catalog': snapshot_poller(self.server)}))
        self.server.answer('/items', 200, b'{"items": [{"id": 1}, {"id": 2}], "more": true}')
        tested = self.assert_exit(0, self.folder.call('test', 'catalog', '--pages', '5', '--json')).json
        self.assertEqual((len(tested['requests']), tested['identities'], len(tested['events'])), (2, ['1', '2'], 2))
        self.assertIn('repeated-page', [warning['code'] for warning in tested['warnings']])

    def test_a_test_shows_what_a_failing_api_answered(self):
        self.folder.write(workspace({'catalog': snapshot_poller(self.server)}))
        self.server.answer('/items', 401, b'{"reason": "no such tenant"}')
        answer = self.assert_exit(1, self.folder.call('test', 'catalog'))
        self.assertIn('401', answer.out)
        self.assertIn('no such tenant', answer.out)

    def test_a_tick_tells_its_warnings_and_a_sink_that_is_down(self):
        sinks = {'hook': {'kind': 'webhook', 'url': 'http://127.0.0.1:9/', 'secret': '${env:HOOK}'}}
        poller = snapshot_poller(self.server, deliver={'to': ['hook']}, maxCycleTime='1ms')
        self.folder.write(workspace({'catalog': poller}, sinks=sinks))
        self.server.listing.page_size = 2
        environment = {'HOOK': 'whsec_' + 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'}
        answer = self.assert_exit(0, self.folder.call('tick', environment=environment))
        self.assert_says(answer, 'warning:', 'maxCycleTime', 'a sink is down')
        waiting = self.assert_exit(0, self.folder.call('inspect', '--json')).json[0]['waitingFor']
        self.assertEqual(waiting['what'], 'delivery')
        self.assertIn('events wait for a sink', waiting['because'])

    def test_a_poller_that_is_switched_off_says_so(self):
        self.folder.write(workspace({'catalog': snapshot_poller(self.server)}))
        self.assert_exit(0, self.folder.call('tick'))
        self.folder.write(workspace({'catalog': snapshot_poller(self.server, enabled=False)}))
        self.assertEqual(self.assert_exit(0, self.folder.call('inspect', '--json')).json[0]['waitingFor']['what'], 'enabled')

    def test_a_reconcile_that_fails_is_seen(self):
        server = self.serve(Server(3))
        poller = timestamp_poller(server, reconcile={'every': '1ms', 'request': {'url': server.url + '/gone'}})
        self.folder.write(workspace({'orders': poller}))
        self.folder.call('tick')
        self.folder.call('tick')
        warnings = self.assert_exit(0, self.folder.call('inspect', '--json')).json[0]['warnings']
        self.assertIn('reconcile-failed', [warning['code'] for warning in warnings])


class Budgets(CliTest):
    def test_what_is_used_is_shown(self):
        server = self.serve(Server(10))
        budgets = {'api': {'requests': 3, 'per': '1h', 'maxWait': '1s'}, 'idle': {'requests': 9, 'per': '1m'}}
        pollers = {'catalog': snapshot_poller(server, budget='api'), 'again': snapshot_poller(server, budget='api')}
        self.folder.write(workspace(pollers, budgets=budgets))
        self.assert_exit(0, self.folder.call('tick'))
        rows = self.assert_exit(0, self.folder.call('budgets', '--json')).json
        self.assertEqual([(row['budget'], row['used'], row['available'], row['pollers']) for row in rows],
                         [('api', 2, 1, ['again', 'catalog']), ('idle', 0, 9, [])])
        self.assert_exit(0, self.folder.call('trigger', 'catalog'))
        self.assert_exit(0, self.folder.call('trigger', 'again'))
        self.assert_exit(0, self.folder.call('tick'))  # one of the two is put off, which is no failure
        rows = self.assert_exit(0, self.folder.call('budgets', '--json')).json
        self.assertEqual((rows[0]['used'], rows[0]['available']), (3, 0))
        self.assertGreater(rows[0]['nextFreeAt'], rows[1]['nextFreeAt'])
        waiting = [row['waitingFor']['what'] for row in self.assert_exit(0, self.folder.call('inspect', '--json')).json]
        self.assertEqual(sorted(waiting), ['budget', 'due'])
        self.assertIn('3 in 60 min', self.folder.call('budgets').out)


class ReadOnly(CliTest):
    def test_nothing_is_created_or_changed(self):
        server = self.serve(Server(10))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}, readOnly=True))
        self.assert_says(self.assert_exit(3, self.folder.call('migrate')), 'read-only')
        self.assert_says(self.assert_exit(1, self.folder.call('inspect')), 'no store yet')
        self.assertFalse((self.folder.path / 'store.db').exists())
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        self.assert_exit(0, self.folder.call('tick'))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}, readOnly=True))
        self.assertEqual(self.assert_exit(0, self.folder.call('inspect', '--json')).json[0]['items'], 10)
        self.assert_exit(3, self.folder.call('tick'))


class History(CliTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve(Server(40))
        self.folder.write(workspace({'orders': timestamp_poller(self.server, log={'retention': '30d'}),
                                     'catalog': snapshot_poller(self.server)}))
        self.assert_exit(0, self.folder.call('tick'))

    def json(self, *arguments, code=0):
        return self.assert_exit(code, self.folder.call(*arguments, '--json')).json

    def tick(self, poller):
        return {row['poller']: row for row in self.json('tick', '--only', poller)}[poller]

    def test_a_reset_cursor_lists_from_there_and_a_cleared_snapshot_makes_everything_new(self):
        dry = self.json('reset-cursor', 'orders', '--to', 'null', '--dry-run')
        self.assertEqual(set(dry), {'wouldAffect', 'details', 'token'})
        self.assertEqual(self.tick('orders')['items'], 0)
        self.assertEqual(self.json('reset-cursor', 'orders', '--to', 'null')['done'], 1)
        ticked = self.tick('orders')
        self.assertEqual((ticked['items'], ticked['events']['created']), (40, 0))
        self.assertIn('40 items forgotten', self.json('reset-cursor', 'catalog', '--to', 'null', '--clear-snapshot')['details'][0])
        self.assertEqual(self.tick('catalog')['events']['created'], 40)
        self.assert_says(self.assert_exit(2, self.folder.call('reset-cursor', 'orders')), '--to')
        self.assert_says(self.assert_exit(2, self.folder.call('reset-cursor', 'catalog', '--to', '5')), 'no cursor')

    def test_a_backfill_goes_back_and_can_be_cancelled(self):
        self.assert_says(self.assert_exit(2, self.folder.call('backfill', 'orders')), '--from')
        self.assertEqual(self.json('backfill', 'orders', '--from', 'null', '--force')['done'], 1)
        self.assertEqual(self.json('backfill', 'orders', '--from', 'null')['skipped'], 1)
        self.assertEqual(self.tick('orders')['events']['updated'], 40)
        self.assertEqual(self.json('cancel-backfill', 'orders')['skipped'], 1)
        self.assert_exit(2, self.folder.call('backfill', 'catalog', '--from', 'null'))

    def test_a_replay_delivers_logged_events_again(self):
        self.assertEqual(self.json('replay', 'orders', '--from', '2020-01-01T00:00:00Z', '--dry-run')['wouldAffect'], 40)
        self.assertEqual(self.json('replay', 'orders', '--from', '2020-01-01T00:00:00Z'), {'replayed': 40})
        self.assertEqual(self.tick('orders')['delivered'], 40)
        events = self.folder.events('orders')
        self.assertEqual([e['id'] for e in events[:40]], [e['id'] for e in events[40:]])
        self.assertEqual({e['lane'] for e in events[40:]}, {'replay'})
        self.assert_says(self.assert_exit(2, self.folder.call('replay', 'catalog', '--from', '0')), 'retention')

    def test_held_deletes_are_approved_or_discarded(self):
        self.server.listing.change(delete=tuple(range(1, 31)))
        self.assertEqual(self.tick('catalog')['verdict'], 'suspect')
        held = self.json('held', 'ls', 'catalog')
        self.assertEqual(len(held), 30)
        self.assertEqual(set(held[0]), {'id', 'poller', 'partition', 'identity', 'type', 'reason', 'heldAt'})
        self.assert_says(self.assert_exit(2, self.folder.call('held', 'approve', 'catalog')), '--ids', '--all')
        self.assertEqual(self.json('held', 'approve', 'catalog', '--ids', f"{held[0]['id']},{held[1]['id']}")['done'], 2)
        self.assertEqual(self.json('held', 'discard', 'catalog', '--all')['done'], 28)
        self.assertEqual(self.tick('catalog')['delivered'], 2)
        self.assertEqual(self.json('held', 'ls', 'catalog'), [])

    def test_the_audit_log_says_who_did_what(self):
        self.assert_exit(0, self.folder.call('pause', 'orders', '--reason', 'a test'))
        self.assert_exit(0, self.folder.call('reset-cursor', 'orders', '--to', 'null'))
        rows = self.json('audit')
        self.assertEqual([row['operation'] for row in rows], ['reset-cursor', 'pause'])
        self.assertEqual(set(rows[0]), {'at', 'who', 'operation', 'poller', 'partition', 'reason', 'before', 'after'})
        self.assertEqual(rows[1]['reason'], 'a test')
        self.assertEqual(self.json('audit', '--since', str(rows[0]['at'] + 1)), [])


class Tick(CliTest):
    def test_the_first_creates_everything_and_the_second_nothing(self):
        server = self.serve(Server(2500, page_size=1000))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        first = self.assert_exit(0, self.folder.call('tick', '--json')).json
        self.assertEqual(len(first), 1)
        self.assertEqual(set(first[0]), TICK_KEYS)
        self.assertEqual(first[0]['events'], {'created': 2500, 'updated': 0, 'deleted': 0})
        self.assertEqual((first[0]['pages'], first[0]['items'], first[0]['delivered'], first[0]['verdict'], first[0]['lane']),
                         (3, 2500, 2500, 'complete', 'live'))
        second = self.assert_exit(0, self.folder.call('--json', 'tick')).json[0]
        self.assertEqual(second['events'], {'created': 0, 'updated': 0, 'deleted': 0})
        events = self.folder.events('catalog')
        self.assertEqual(len({e['id'] for e in events}), 2500)
        self.assertEqual(list(events[0]), ENVELOPE_KEYS)
        self.assertEqual({e['subject'] for e in events}, set(server.listing.state()))

    def test_the_digits_of_the_api_reach_the_sink(self):
        server = self.serve(Server(1))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        self.assert_exit(0, self.folder.call('tick'))
        self.assertIn(str(9007199254740994), (self.folder.path / 'catalog.jsonl').read_text())

    def test_changes_additions_and_deletes_are_exactly_what_the_next_tick_emits(self):
        server = self.serve(Server(100, page_size=30))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        self.assert_exit(0, self.folder.call('tick'))
        before = len(self.folder.events('catalog'))
        server.listing.change(add=2, update=(5, 60), delete=(7, 99, 100))
        self.assert_exit(0, self.folder.call('tick'))
        new = [(e['type'], e['subject']) for e in self.folder.events('catalog')[before:]]
        self.assertEqual(sorted(new), sorted([('created', '101'), ('created', '102'), ('updated', '5'), ('updated', '60'),
                                              ('deleted', '7'), ('deleted', '99'), ('deleted', '100')]))

    def test_a_timestamp_cursor_asks_for_what_came_after(self):
        server = self.serve(Server(1200))
        self.folder.write(workspace({'orders': timestamp_poller(server)}))
        first = self.assert_exit(0, self.folder.call('tick', '--json')).json[0]
        self.assertEqual(first['events']['created'], 1200)
        server.listing.change(add=1, update=(3,))
        del server.requests[:]
        second = self.assert_exit(0, self.folder.call('tick', '--json')).json[0]
        self.assertEqual(second['events'], {'created': 1, 'updated': 1, 'deleted': 0})
        self.assertIn('updated_since=', server.requests[0])
        self.assertIn('after_id=1200', server.requests[0])

    def test_what_is_not_due_is_skipped_and_only_limits_the_pass(self):
        server = self.serve(Server(3))
        slow = {'min': '1h', 'max': '1h'}
        self.folder.write(workspace({'a': snapshot_poller(server, schedule=slow), 'b': snapshot_poller(server, schedule=slow)}))
        only = self.assert_exit(0, self.folder.call('tick', '--only', 'b', '--json')).json
        self.assertEqual([(r['poller'], r['skipped']) for r in only if not r['skipped']], [('b', only[0]['skipped'])])
        results = {r['poller']: r for r in self.assert_exit(0, self.folder.call('tick', '--json')).json}
        self.assertEqual(results['b']['skipped'], 'not-due')
        self.assertEqual(results['a']['events']['created'], 3)

    def test_a_failed_cycle_is_exit_1_and_the_others_run(self):
        server = self.serve(Server(3))
        server.answer('/broken', 500, b'{"title":"out of order"}')
        broken = snapshot_poller(server)
        broken['request'] = {'url': f'{server.url}/broken'}
        self.folder.write(workspace({'broken': broken, 'whole': snapshot_poller(server)}))
        answer = self.assert_exit(1, self.folder.call('tick', '--json'))
        results = {r['poller']: r for r in answer.json}
        self.assertEqual(results['whole']['events']['created'], 3)
        self.assertIn('500', json.dumps(results['broken']['error']))
        self.assert_says(answer, 'broken', '500')


class Inspect(CliTest):
    def test_it_has_the_shape_of_the_specification(self):
        server = self.serve(Server(7))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        self.assert_exit(0, self.folder.call('tick'))
        keys = self.assert_exit(0, self.folder.call('inspect', '--json')).json
        self.assertEqual([k['poller'] for k in keys], ['catalog'])
        key = keys[0]
        self.assertEqual(INSPECT_KEYS - set(key), set())
        self.assertEqual(SCHEDULE_KEYS - set(key['schedule']), set())
        self.assertEqual(LAST_POLL_KEYS - set(key['lastPoll']), set())
        self.assertEqual(set(key['cursors']), {'live', 'backfill', 'reconcile'})
        self.assertEqual((key['items'], key['outboxPending'], key['parked'], key['held'], key['paused']), (7, 0, 0, 0, False))
        self.assertIsInstance(key['schedule']['nextDueAt'], int)

    def test_people_get_a_table(self):
        server = self.serve(Server(7))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        self.assert_exit(0, self.folder.call('tick'))
        lines = self.assert_exit(0, self.folder.call('inspect')).out.splitlines()
        self.assertRegex(lines[0], r'^KEY\s+STATE\s+NEXT DUE')
        self.assertRegex(lines[1], r'^catalog\s+Idle\s')
        self.assertNotIn('\x1b', ''.join(lines))


class Control(CliTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve(Server(3))
        self.folder.write(workspace({'catalog': snapshot_poller(self.server)}))

    def test_a_paused_poller_is_skipped_until_it_is_resumed(self):
        paused = self.assert_exit(0, self.folder.call('pause', 'catalog', '--reason', 'maintenance', '--json')).json
        self.assertEqual(set(paused), {'done', 'skipped', 'failed', 'details'})
        self.assertEqual((paused['done'], paused['failed']), (1, 0))
        self.assertEqual(self.assert_exit(0, self.folder.call('tick', '--json')).json[0]['skipped'], 'paused')
        self.assertEqual(self.server.requests, [])
        self.assertEqual(self.folder.call('inspect', '--json').json[0]['state'], 'Paused')
        again = self.folder.call('pause', 'catalog', '--json').json
        self.assertEqual((again['done'], again['skipped']), (0, 1))
        self.assertEqual(self.assert_exit(0, self.folder.call('resume', 'catalog', '--json')).json['done'], 1)
        self.assertEqual(self.assert_exit(0, self.folder.call('tick', '--json')).json[0]['events']['created'], 3)

    def test_a_dry_run_says_what_would_happen_and_does_nothing(self):
        dry = self.assert_exit(0, self.folder.call('pause', 'catalog', '--dry-run', '--json')).json
        self.assertEqual(set(dry), {'wouldAffect', 'details', 'token'})
        self.assertEqual(dry['wouldAffect'], 1)
        self.assertEqual(self.folder.call('pause', 'catalog', '--dry-run', '--json').json['token'], dry['token'])
        self.assertNotEqual(self.folder.call('tick', '--json').json[0]['skipped'], 'paused')

    def test_a_trigger_makes_a_quiet_poller_due(self):
        self.folder.write(workspace({'catalog': snapshot_poller(self.server, schedule={'min': '1h', 'max': '1h'})}))
        self.assert_exit(0, self.folder.call('tick'))
        self.assertEqual(self.folder.call('tick', '--json').json[0]['skipped'], 'not-due')
        self.assertEqual(self.assert_exit(0, self.folder.call('trigger', 'catalog', '--json')).json['done'], 1)
        self.assertFalse(self.assert_exit(0, self.folder.call('tick', '--json')).json[0]['skipped'])

    def test_a_read_only_workspace_refuses_with_exit_3(self):
        self.folder.call('tick')
        self.folder.write(workspace({'catalog': snapshot_poller(self.server)}, readOnly=True))
        for words in (('pause', 'catalog'), ('resume', 'catalog'), ('trigger', 'catalog'), ('tick',), ('run', '--for', '1s'),
                      ('parked', 'retry', 'catalog', '--all'), ('parked', 'discard', 'catalog', '--all')):
            with self.subTest(words):
                self.assert_says(self.assert_exit(3, self.folder.call(*words)), 'read-only')
        self.assert_exit(0, self.folder.call('inspect'))
        self.assert_exit(0, self.folder.call('parked', 'ls', 'catalog'))
        self.assert_exit(0, self.folder.call('test', 'catalog'))


class Test(CliTest):
    def test_it_fetches_and_leaves_no_trace(self):
        server = self.serve(Server(30, page_size=10))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        report = self.assert_exit(0, self.folder.call('test', 'catalog', '--json')).json
        self.assertEqual({'requests', 'items', 'identities', 'events', 'nextCursor', 'verdict', 'warnings'} - set(report), set())
        self.assertEqual(len(report['requests']), 2)
        self.assertEqual(set(report['requests'][0]), {'method', 'url', 'headers', 'status', 'durationMs', 'bytes'})
        self.assertEqual(report['requests'][0]['status'], 200)
        self.assertEqual(report['requests'][0]['bytes'], len(server.listing.page(1)))
        self.assertEqual(report['identities'][:3], ['1', '2', '3'])
        self.assertEqual(report['events'][0]['type'], 'created')
        self.assertEqual([p.name for p in self.folder.path.iterdir()], ['test.watukuy.json'])

    def test_what_lag_holds_back_is_no_event_yet(self):
        poller = snapshot_poller(self.serve(Server(10)))
        poller['cursor'] = {'strategy': 'timestamp', 'field': 'updatedAt', 'tieBreak': 'id', 'lag': '3650d',
                            'initial': '2025-01-01T00:00:00Z'}
        self.folder.write(workspace({'catalog': poller}))
        report = self.assert_exit(0, self.folder.call('test', 'catalog', '--json')).json
        self.assertEqual(report['events'], [])
        self.assertIn('cursor.lag', [warning['key'] for warning in report['warnings']])
        self.assertEqual(self.assert_exit(0, self.folder.call('tick', '--json')).json[0]['events']['created'], 0)

    def test_people_can_read_it(self):
        server = self.serve(Server(30, page_size=10))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        out = self.assert_exit(0, self.folder.call('test', 'catalog', '--pages', '1')).out
        for words in ('Nothing is written', 'Requests: 1', f'GET {server.url}/items?page=1', 'Items found: 10', 'Identities',
                      'Next cursor', 'Warnings'):
            self.assertIn(words, out)

    def test_after_a_tick_only_what_is_new_would_be_emitted(self):
        server = self.serve(Server(10))
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        self.assertEqual(len(self.assert_exit(0, self.folder.call('test', 'catalog', '--json')).json['events']), 10)
        self.assert_exit(0, self.folder.call('tick'))
        server.listing.change(update=(3,))
        report = self.assert_exit(0, self.folder.call('test', 'catalog', '--json')).json
        self.assertEqual([(e['type'], e['subject']) for e in report['events']], [('updated', '3')])
        self.assertEqual(self.assert_exit(0, self.folder.call('tick', '--json')).json[0]['events'],
                         {'created': 0, 'updated': 1, 'deleted': 0})

    def test_the_status_of_a_refusal_is_shown(self):
        server = self.serve(Server(1))
        poller = snapshot_poller(server)
        poller['request']['url'] = f'{server.url}/nowhere'
        self.folder.write(workspace({'catalog': poller}))
        report = self.assert_exit(1, self.folder.call('test', 'catalog', '--json')).json
        self.assertEqual(report['requests'][0]['status'], 404)

    def test_a_wrong_items_path_is_explained(self):
        server = self.serve(Server(3))
        poller = snapshot_poller(server, response={'items': 'data.rows'})
        self.folder.write(workspace({'catalog': poller}))
        answer = self.assert_exit(1, self.folder.call('test', 'catalog'))
        self.assert_says(answer, 'data', 'items')

    def test_secrets_are_not_shown(self):
        server = self.serve(Server(3))
        poller = snapshot_poller(server)
        poller['request']['credential'] = 'shop'
        self.folder.write(workspace({'catalog': poller},
                                    credentials={'shop': {'kind': 'bearer', 'token': '${env:SHOP_TOKEN}'}}))
        answer = self.assert_exit(0, self.folder.call('test', 'catalog', '--json', environment={'SHOP_TOKEN': 'tok-4711'}))
        self.assertNotIn('tok-4711', answer.out + answer.err)


class Parked(CliTest):
    def test_invalid_items_are_listed_and_discarded_and_the_others_flow(self):
        server = self.serve(Server(0))
        server.answer('/items', 200, b'{"items":[{"id":1},{"name":"no id"},{"id":3}],"more":false}')
        self.folder.write(workspace({'catalog': snapshot_poller(server)}))
        self.assert_exit(0, self.folder.call('tick'))
        self.assertEqual([e['subject'] for e in self.folder.events('catalog')], ['1', '3'])
        rows = self.assert_exit(0, self.folder.call('parked', 'ls', 'catalog', '--json')).json
        self.assertEqual(len(rows), 1)
        self.assertEqual(set(rows[0]), {'id', 'poller', 'partition', 'kind', 'event', 'item', 'error', 'attempts', 'parkedAt',
                                        'holdKey'})
        self.assertEqual(set(rows[0]['error']), {'name', 'message', 'history', 'issues'})
        self.assertEqual(rows[0]['kind'], 'invalid')
        self.assertIn('no id', json.dumps(rows[0]['item']))
        self.assertEqual(self.folder.call('parked', 'ls', 'catalog', '--kind', 'poison', '--json').json, [])
        self.assertIn('invalid', self.folder.call('parked', 'ls', 'catalog').out)
        done = self.assert_exit(0, self.folder.call('parked', 'discard', 'catalog', '--ids', rows[0]['id'], '--json')).json
        self.assertEqual(done['done'], 1)
        self.assertEqual(self.folder.call('parked', 'ls', 'catalog', '--json').json, [])
        self.assertIn('Nothing is parked', self.folder.call('parked', 'ls', 'catalog').out)


class Export(CliTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve(Server(1500))
        self.folder.write(workspace({'catalog': snapshot_poller(self.server, log={'retention': '7d'})}))
        self.assert_exit(0, self.folder.call('tick'))

    def test_json_lines_hold_every_logged_event(self):
        lines = self.assert_exit(0, self.folder.call('export', 'catalog')).out.splitlines()
        self.assertEqual(len(lines), 1500)
        self.assertEqual({json.loads(line)['id'] for line in lines}, {e['id'] for e in self.folder.events('catalog')})

    def test_csv_has_a_heading_and_a_row_per_event(self):
        rows = list(csv.reader(io.StringIO(self.assert_exit(0, self.folder.call('export', 'catalog', '--format', 'csv')).out)))
        self.assertEqual(len(rows), 1501)
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})

    def test_cloudevents_are_cloudevents(self):
        events = self.assert_exit(0, self.folder.call('export', 'catalog', '--format', 'cloudevents')).json # a batch
        self.assertEqual(len(events), 1500)
        event = events[0]
        self.assertEqual((event['specversion'], event['type'], event['watukuypoller']), ('1.0', 'catalog.created', 'catalog'))

    def test_a_file_is_for_its_owner_only_and_whole_or_untouched(self):
        target = self.folder.path / 'out.jsonl'
        target.write_text('old')
        target.chmod(0o644)
        answer = self.assert_exit(0, self.folder.call('export', 'catalog', '--output', 'out.jsonl'))
        self.assertEqual(answer.out, '')
        self.assert_says(answer, '1500')
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o600)
        self.assertEqual(len(target.read_text().splitlines()), 1500)
        self.assert_exit(1, self.folder.call('export', 'catalog', '--output', 'no/such/folder/out.jsonl'))

    def test_a_range_of_time_is_a_range_of_events(self):
        self.assertEqual(self.assert_exit(0, self.folder.call('export', 'catalog', '--to', '2020-01-01T00:00:00Z')).out, '')
        lines = self.folder.call('export', 'catalog', '--from', '1577836800000').out.splitlines()
        self.assertEqual(len(lines), 1500)

    def test_a_reader_that_goes_away_is_no_failure(self):
        process = self.start('export', 'catalog')
        process.stdout.read(10)
        process.stdout.close()
        self.assertEqual((process.stderr.read(), process.wait(30)), ('', 0))

    def test_a_full_disk_behind_stdout_is_a_failure(self):
        with open('/dev/full', 'w', encoding='utf-8') as full:
            ended = subprocess.run([PROGRAM, 'export', 'catalog'], cwd=self.folder.path, stdout=full, stderr=subprocess.PIPE,
                                   text=True, check=False)
        self.assertEqual(ended.returncode, 1, ended)
        self.assertIn('could not be written', ended.stderr)


class Migrate(CliTest):
    def test_a_dry_run_says_what_it_would_do(self):
        self.folder.write(workspace({}))
        answer = self.assert_exit(0, self.folder.call('migrate', '--dry-run', '--json')).json
        self.assertIn('would be created', answer['details'][0])
        self.assertFalse((self.folder.path / 'store.db').exists())
        self.assert_exit(0, self.folder.call('migrate'))
        self.assertIn('fits this version', self.assert_exit(0, self.folder.call('migrate', '--dry-run')).out)

    def test_it_makes_the_store_and_says_so(self):
        self.folder.write(workspace({}))
        self.assertEqual(self.assert_exit(0, self.folder.call('migrate', '--json')).json['failed'], 0)
        self.assertEqual(stat.S_IMODE((self.folder.path / 'store.db').stat().st_mode), 0o600)


if __name__ == '__main__':
    unittest.main()
