# SPDX-License-Identifier: GPL-3.0-or-later
"""nginx lists a folder as JSON (autoindex); a snapshotDiff poller turns it into file events."""
import os
import shutil
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'cli'))
from harness import AT_ONCE, Folder, call, workspace  # noqa: E402

NGINX = shutil.which('nginx', path=os.environ.get('PATH', '') + ':/usr/sbin:/usr/local/sbin')

CONFIG = '''
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  log_format protocol '$server_protocol';
  access_log {folder}/access.log protocol;
  client_body_temp_path {folder}/temp; proxy_temp_path {folder}/temp; fastcgi_temp_path {folder}/temp;
  uwsgi_temp_path {folder}/temp; scgi_temp_path {folder}/temp;
  server {{
    listen 127.0.0.1:{port};
    listen 127.0.0.1:{secure} ssl http2;
    ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem;
    location /files/ {{ alias {files}/; autoindex on; autoindex_format json; }}
  }}
}}
'''


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


@unittest.skipIf(NGINX is None, 'nginx is not installed (Debian: nginx-light)')
class Nginx(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.folder.path.chmod(0o755)
        self.files = self.folder.path / 'files'
        self.files.mkdir()
        port, self.secure = free_port(), free_port()
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1',
                        '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', 'key.pem', '-out', 'certificate.pem'],
                       cwd=self.folder.path, check=True, stderr=subprocess.DEVNULL)
        config = self.folder.path / 'nginx.conf'
        config.write_text(CONFIG.format(folder=self.folder.path, files=self.files, port=port, secure=self.secure), encoding='utf-8')
        self.server = subprocess.Popen([NGINX, '-c', str(config), '-e', str(self.folder.path / 'error.log')],
                                       stderr=subprocess.DEVNULL)
        self.addCleanup(self.stop)
        self.wait_for(port)
        self.folder.write(workspace({'files': {
            'request': {'url': f'http://127.0.0.1:{port}/files/'},
            'identity': 'name',
            'cursor': {'strategy': 'snapshotDiff'},
            'retain': 'payload',
            'deleteGuard': 'off',
            'schedule': AT_ONCE,
            'deliver': {'to': ['log']},
        }}))

    def stop(self):
        self.server.terminate()
        self.server.wait(10)

    def wait_for(self, port):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(('127.0.0.1', port)) == 0:
                    return
            time.sleep(0.05)
        self.fail('nginx did not start: ' + (self.folder.path / 'error.log').read_text(encoding='utf-8'))

    def tick(self):
        answer = call('tick', '--json', folder=self.folder.path)
        self.assertEqual(answer.code, 0, answer)
        return answer.json[0]['events']

    def test_files_that_come_change_and_go_are_events(self):
        (self.files / 'a.txt').write_text('one', encoding='utf-8')
        (self.files / 'ünï & co.txt').write_text('two', encoding='utf-8')
        self.assertEqual(self.tick(), {'created': 2, 'updated': 0, 'deleted': 0})
        self.assertEqual(self.tick(), {'created': 0, 'updated': 0, 'deleted': 0})
        (self.files / 'a.txt').write_text('one and more', encoding='utf-8')
        (self.files / 'ünï & co.txt').unlink()
        (self.files / 'folder').mkdir()
        self.assertEqual(self.tick(), {'created': 1, 'updated': 1, 'deleted': 1})
        events = [(event['type'], event['subject']) for event in self.folder.events('files')]
        self.assertEqual(sorted(events), sorted([
            ('created', 'a.txt'), ('created', 'ünï & co.txt'), ('updated', 'a.txt'), ('created', 'folder'),
            ('deleted', 'ünï & co.txt')]))

    def test_a_server_that_is_gone_is_an_error_and_loses_nothing(self):
        (self.files / 'a.txt').write_text('one', encoding='utf-8')
        self.tick()
        self.stop()
        answer = call('tick', folder=self.folder.path)
        self.assertEqual(answer.code, 1, answer)
        self.assertIn('127.0.0.1', answer.out + answer.err)
        self.assertEqual(len(self.folder.events('files')), 1)

    def protocols(self):
        return (self.folder.path / 'access.log').read_text(encoding='utf-8').split()

    def test_http2_is_spoken_only_when_asked_for(self):
        (self.files / 'a').write_text('1')
        for http2, protocol in ((False, 'HTTP/1.1'), (True, 'HTTP/2.0')):
            self.folder.write(workspace({'files': {
                'request': {'url': f'https://127.0.0.1:{self.secure}/files/', 'http2': http2,
                            'tls': {'ca': 'certificate.pem'}},
                'identity': 'name',
                'cursor': {'strategy': 'snapshotDiff'},
                'schedule': AT_ONCE,
                'deliver': {'to': ['log']},
            }}))
            self.tick()
            self.assertEqual(self.protocols()[-1], protocol)
        self.assertEqual(len(self.folder.events('files')), 1)


if __name__ == '__main__':
    unittest.main()
