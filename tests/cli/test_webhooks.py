#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Webhooks, received by a program that knows only the public text of Standard Webhooks."""
import base64
import hashlib
import hmac
import json
import os
import random
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler

from harness import AT_ONCE, CliTest, snapshot_poller, workspace
from server import QuietServer, Server

OFTEN = {'min': '50ms', 'max': '50ms', 'adaptive': False, 'jitter': 0}
KEY = b'a key of thirty-two random bytes'


def verified(headers, body, now):
    """The body as JSON when it is signed with KEY and fresh, else None."""
    sent = headers['webhook-timestamp']
    if abs(now - int(sent)) > 300:
        return None
    text = f"{headers['webhook-id']}.{sent}.".encode() + body
    expected = 'v1,' + base64.b64encode(hmac.new(KEY, text, hashlib.sha256).digest()).decode()
    given = headers['webhook-signature'].split(' ')
    return json.loads(body) if any(hmac.compare_digest(expected, one) for one in given) else None


class Receiver:
    """Takes events, refuses some, and remembers in which order it took them."""

    def __init__(self):
        self.lock = threading.Lock()
        self.taken, self.forged, self.agents = [], 0, set()
        self.answer = lambda event: 204
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                event = verified(self.headers, body, time.time())
                receiver.agents.add(self.headers['User-Agent'])
                with receiver.lock:
                    if event is None:
                        receiver.forged += 1
                    status = 401 if event is None else receiver.answer(event)
                    if status < 300:
                        receiver.taken.append((self.headers['webhook-id'], event))
                self.send_response(status)
                self.send_header('Content-Length', '0')
                self.end_headers()

            def log_message(self, *_):
                pass

        self.http = QuietServer(('127.0.0.1', 0), Handler)
        self.port = self.http.server_port
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f'http://127.0.0.1:{self.port}/hook'

    def close(self):
        self.http.shutdown()
        self.http.server_close()


class Webhooks(CliTest):
    def setUp(self):
        super().setUp()
        self.receiver = self.serve(Receiver())
        self.environment = {'HOOK': 'whsec_' + base64.b64encode(KEY).decode()}

    def write(self, server, schedule=AT_ONCE, **deliver):
        poller = snapshot_poller(server, schedule=schedule)
        poller['deliver'] = {'to': ['hook'], **deliver}
        self.folder.write(workspace({'catalog': poller}, lease={'ttl': '1s', 'renewEvery': '300ms'}, sinks={
            'hook': {'kind': 'webhook', 'url': self.receiver.url, 'secret': '${env:HOOK}'}}))

    def tick(self, code=0):
        return self.assert_exit(code, self.folder.call('tick', '--json', environment=self.environment)).json[0]

    def test_every_event_arrives_signed_and_in_order(self):
        server = self.serve(Server(300, page_size=100))
        self.write(server, concurrency=8)
        self.assertEqual(self.tick()['delivered'], 300)
        server.listing.change(update=(5,), delete=(7,))
        self.assertEqual(self.tick()['delivered'], 2)
        self.assertEqual(self.receiver.forged, 0)
        self.assertTrue(all(agent and agent.startswith('Watukuy/') for agent in self.receiver.agents), self.receiver.agents)
        self.assertEqual(len({identity for identity, _ in self.receiver.taken}), 302)
        self.assertEqual([(e['type'], e['data']['revision']) for _, e in self.receiver.taken if e['subject'] == '5'],
                         [('created', 1), ('updated', 2)])

    def test_a_wrong_secret_delivers_nothing_and_parks_nothing(self):
        self.write(self.serve(Server(10)))
        self.environment['HOOK'] = 'whsec_' + base64.b64encode(b'another key').decode()
        self.assertEqual(self.tick()['delivered'], 0)
        state = self.folder.call('inspect', '--json').json[0]
        self.assertEqual((state['outboxPending'], state['parked']), (10, 0))
        self.environment['HOOK'] = 'whsec_' + base64.b64encode(KEY).decode()
        self.wait_until(lambda: self.tick() and len(self.receiver.taken) == 10, 'the events')

    def test_what_the_receiver_judges_bad_is_parked_and_the_others_flow(self):
        self.write(self.serve(Server(10)), retry={'attempts': 1})
        self.receiver.answer = lambda event: 422 if event['subject'] == '3' else 204
        self.assertEqual(self.tick()['delivered'], 9)
        parked = self.folder.call('parked', 'ls', 'catalog', '--json').json
        self.assertEqual([row['event']['subject'] for row in parked], ['3'])
        self.assertIn('422', parked[0]['error']['message'])
        self.receiver.answer = lambda event: 204
        self.assert_exit(0, self.folder.call('parked', 'retry', 'catalog', '--all'))
        self.assertEqual(self.tick()['delivered'], 1)

    def test_kills_and_failures_lose_nothing_and_keep_the_order(self):
        server = self.serve(Server(200, page_size=50))
        self.write(server, OFTEN, concurrency=4, retry={'attempts': 50, 'backoff': {'base': '10ms', 'factor': 1, 'max': '20ms'}})
        chance = random.Random(20260101)
        self.receiver.answer = lambda event: 422 if chance.random() < 0.05 else 204
        for _ in range(12):
            process = self.start('run', env={**os.environ, **self.environment})
            time.sleep(0.1 + chance.random() * 0.5)
            server.listing.change(update=tuple(chance.sample(range(1, 201), 20)))
            time.sleep(chance.random() * 0.3)
            process.kill()
            process.wait()

        def everything_arrived():
            ticked = self.folder.call('tick', '--json', environment=self.environment).json[0]
            state = self.folder.call('inspect', '--json').json[0]
            # A listing that goes on from where a kill left it sees later changes only the next time.
            listed_whole = ticked['skipped'] is None and ticked['items'] == 200 and not any(ticked['events'].values())
            return listed_whole and state['outboxPending'] == 0
        self.wait_until(everything_arrived, 'an empty outbox after a whole listing', 60)
        last, bodies = {}, {}
        for identity, event in self.receiver.taken:
            body = {name: value for name, value in event.items() if name != 'attempt'}
            if identity in bodies:  # again, after a kill: the same event
                self.assertEqual(bodies[identity], body)
                continue
            bodies[identity] = body
            self.assertGreater(event['sequence'], last.get(event['subject'], {'sequence': 0})['sequence'])
            last[event['subject']] = event
        self.assertEqual({subject: event['data'] for subject, event in last.items()}, server.listing.state())
        self.assertEqual(self.receiver.forged, 0)


if __name__ == '__main__':
    unittest.main()
