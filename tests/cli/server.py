# SPDX-License-Identifier: GPL-3.0-or-later
"""A small API with a listing that can be changed, written without any code of the product.

/items?page=N     the items of one page. An item keeps its page: nothing shifts when others are deleted.
/changed?...      the items after (updated_since, after_id), ordered by (updatedAt, id), at most `limit`.
"""
import bisect
import json
import threading
import time
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

START = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(days=30)


class Listing:
    """The items of the API. A batch of changes gets one point of time, a second after the batch before."""

    def __init__(self, count, page_size=1000):
        self.page_size = page_size
        self.lock = threading.Lock()
        self.items = {}
        self.rendered = {}
        self.order = []
        self.last_id = 0
        self.batch = 0
        self.change(add=count)

    def change(self, add=0, update=(), delete=()):
        with self.lock:
            self.batch += 1
            stamp = (START + timedelta(seconds=self.batch)).strftime('%Y-%m-%dT%H:%M:%SZ')
            touched = set()
            for number in delete:
                del self.items[number]
                touched.add(number)
            for number in update:
                self.items[number] = {**self.items[number], 'revision': self.items[number]['revision'] + 1, 'updatedAt': stamp}
                touched.add(number)
            for _ in range(add):
                self.last_id += 1
                self.items[self.last_id] = {'id': self.last_id, 'revision': 1, 'updatedAt': stamp,
                                            'exact': 9007199254740993 + self.last_id}
                touched.add(self.last_id)
            for page in {self.page_of(number) for number in touched}:
                self.rendered.pop(page, None)
            self.order = None

    def page_of(self, number):
        return (number - 1) // self.page_size + 1

    def page(self, page):
        with self.lock:
            if page not in self.rendered:
                first = (page - 1) * self.page_size + 1
                items = [self.items[n] for n in range(first, first + self.page_size) if n in self.items]
                more = page < self.page_of(max(self.last_id, 1))
                self.rendered[page] = json.dumps({'items': items, 'more': more}).encode()
                if not more: # a later addition may give this page a successor
                    return self.rendered.pop(page)
            return self.rendered[page]

    def changed(self, since, after, limit):
        with self.lock:
            if self.order is None:
                self.order = sorted((item['updatedAt'], number) for number, item in self.items.items())
            start = bisect.bisect_right(self.order, (since, after)) if since else 0
            chosen = self.order[start:start + limit]
            return json.dumps({'items': [self.items[number] for _, number in chosen],
                               'more': start + limit < len(self.order)}).encode()

    def state(self):
        with self.lock:
            return {str(number): dict(item) for number, item in self.items.items()}


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True

    def do_GET(self):
        server = self.server
        server.requests.append(self.path)
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if server.delay:
            time.sleep(server.delay)
        for path, answer in server.answers.items():
            if parts.path == path:
                return self.send(*answer(self, query))
        if parts.path == '/items':
            return self.send(200, server.listing.page(int(query.get('page', 1))))
        if parts.path == '/changed':
            return self.send(200, server.listing.changed(query.get('updated_since', ''), int(query.get('after_id', 0)),
                                                         int(query.get('limit', 500))))
        return self.send(404, b'{"title":"no such thing"}')

    def send(self, status, body, headers=None):
        self.send_response(status)
        given = {'Content-Type': 'application/json', **(headers or {})}
        for name, value in given.items():
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            pass # a killed client

    def log_message(self, *_):
        pass


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass # clients are killed here on purpose


class Server:
    """The API on a free port of loopback, until close()."""

    def __init__(self, count=0, page_size=1000):
        self.listing = Listing(count, page_size)
        self.http = QuietServer(('127.0.0.1', 0), Handler)
        self.http.listing = self.listing
        self.http.requests = []
        self.http.delay = 0
        self.http.answers = {}
        self.url = f'http://127.0.0.1:{self.http.server_address[1]}'
        threading.Thread(target=self.http.serve_forever, kwargs={'poll_interval': 0.05}, daemon=True).start()

    @property
    def requests(self):
        return self.http.requests

    def answer(self, path, status, body, headers=None):
        """From now on that path answers this."""
        self.http.answers[path] = lambda handler, query: (status, body, headers)

    def delay(self, seconds):
        self.http.delay = seconds

    def close(self):
        self.http.shutdown()
        self.http.server_close()
