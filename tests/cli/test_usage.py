#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line itself: what is usage, what is found, what the exit code says."""
import json
import re
import unittest
from pathlib import Path

from harness import CliTest, call, workspace, snapshot_poller
from server import Server

NOW = ('run', 'tick', 'inspect', 'validate', 'test', 'trigger', 'pause', 'resume', 'parked', 'held', 'backfill', 'cancel-backfill',
       'replay', 'reset-cursor', 'partitions', 'budgets', 'audit', 'export', 'migrate',
       'demo-api', 'demo', 'version')


class Usage(CliTest):
    def test_help_lists_the_commands_that_exist_and_no_others(self):
        answer = self.assert_exit(0, call('--help'))
        listed = re.findall(r'^  ([a-z][a-z-]*)', answer.out, re.M)
        self.assertEqual(tuple(listed), NOW)

    def test_every_command_explains_itself(self):
        for command in NOW:
            with self.subTest(command):
                answer = self.assert_exit(0, call(command, '--help'))
                self.assertIn(f'usage: watukuy [--workspace FILE] [--json] {command}', answer.out)

    def test_version_is_a_command_and_an_option(self):
        for word in ('version', '--version'):
            self.assertRegex(self.assert_exit(0, call(word)).out, r'^watukuy \d+\.\d+\.\d+ ')
        self.assertRegex(call('version', '--json').json['version'], r'^\d+\.\d+\.\d+$')

    def test_wrong_words_are_usage_errors(self):
        for words, said in ((('tock',), 'Did you mean tick?'),
                            ((), 'no command is given'),
                            (('tick', '--frobnicate'), 'frobnicate'),
                            (('inspect', '--for', '2s'), 'inspect has no option --for'),
                            (('pause',), 'pause needs POLLER'),
                            (('tick', 'orders'), 'does not know what to do with orders'),
                            (('run', '--for', '20'), '--for 20 is no duration'),
                            (('run', '--for'), 'for'),
                            (('test', 'a', '--pages', '0'), '--pages 0 is no number'),
                            (('export', 'a', '--from', '2026-01-01'), 'is no time'),
                            (('export', 'a', '--format', 'xml'), 'xml'),
                            (('parked', 'eat', 'a'), 'ls, retry and discard'),
                            (('parked', 'retry', 'a'), '--ids A,B or --all'),
                            (('parked', 'retry', 'a', '--ids', 'x'), 'x is no id'),
                            (('parked', 'retry', 'a', '--ids', '1', '--all'), 'exclude each other'),
                            (('parked', 'ls', 'a', '--kind', 'odd'), 'neither poison nor invalid')):
            with self.subTest(words):
                answer = self.assert_exit(2, self.folder.call(*words))
                self.assert_says(answer, said)
                self.assertEqual(answer.out, '')

    def test_no_workspace_and_several_are_told_apart(self):
        self.assert_says(self.assert_exit(2, self.folder.call('inspect')), 'there is no *.watukuy.json', '--workspace')
        for name in ('a.watukuy.json', 'b.watukuy.json'):
            self.folder.write(workspace({}), name)
        self.assert_says(self.assert_exit(2, self.folder.call('inspect')), 'a.watukuy.json, b.watukuy.json', '--workspace')
        self.assert_exit(0, self.folder.call('--workspace', 'b.watukuy.json', 'validate'))
        self.assert_says(self.assert_exit(2, self.folder.call('validate', '--workspace', 'c.watukuy.json')),
                         'there is no workspace c.watukuy.json')

    def test_the_global_options_stand_before_or_after_the_command(self):
        self.folder.write(workspace({}), 'a.watukuy.json')
        file = self.folder.path / 'a.watukuy.json'
        for words in (('--json', '--workspace', file, 'validate'), ('validate', '--json', '--workspace', file),
                      ('--json', 'validate', f'--workspace={file}')):
            self.assertEqual(self.assert_exit(0, call(*words)).json, {'ok': True, 'errors': []})

    def test_without_a_locale_nothing_is_said_about_it(self):
        answer = call('version', environment={'LC_ALL': '', 'LANG': '', 'LC_CTYPE': ''})
        self.assertEqual(answer.err, '')


class UnknownPollers(CliTest):
    def test_every_command_that_names_a_poller_knows_when_there_is_none(self):
        server = self.serve(Server(3))
        self.folder.write(workspace({'orders': snapshot_poller(server)}))
        for words in (('inspect', 'ordres'), ('pause', 'ordres'), ('resume', 'ordres'), ('trigger', 'ordres'),
                      ('test', 'ordres'), ('tick', '--only', 'ordres'), ('parked', 'ls', 'ordres'),
                      ('parked', 'retry', 'ordres', '--all'), ('export', 'ordres')):
            with self.subTest(words):
                answer = self.assert_exit(2, self.folder.call(*words))
                self.assert_says(answer, 'ordres', 'orders')
                self.assertEqual(answer.out, '')
        self.assertEqual(server.requests, [])


class Readme(CliTest):
    TEXT = (Path(__file__).resolve().parents[2] / 'README.md').read_text(encoding='utf-8')

    def test_its_first_workspace_is_valid(self):
        self.folder.write(re.search(r'```json\n(.*?)```', self.TEXT, re.S)[1], 'products.watukuy.json')
        self.assert_exit(0, self.folder.call('validate'))

    def test_its_table_lists_the_commands_that_exist(self):
        listed = re.findall(r'^\| `([a-z-]+)', self.TEXT.split('## Commands')[1].split('\n## ')[0], re.M)
        self.assertEqual(tuple(listed), NOW)

    def test_the_files_it_speaks_of_exist(self):
        root = Path(__file__).resolve().parents[2]
        named = re.findall(r'\]\((?!http)([^)#]+)\)', self.TEXT)
        self.assertTrue(named)
        self.assertEqual([name for name in named if not (root / name).exists()], [])


class Validate(CliTest):
    def test_each_error_has_its_pointer_its_line_and_a_hint(self):
        content = workspace({'orders': {'request': {'url': 'http://127.0.0.1/'}, 'idntity': 'id',
                                        'cursor': {'strategy': 'snapshotDiff'}}})
        self.folder.write(content)
        text = json.dumps(content, indent=2)
        line = next(i for i, part in enumerate(text.splitlines(), 1) if 'idntity' in part)
        answer = self.assert_exit(2, self.folder.call('validate', '--json'))
        self.assertFalse(answer.json['ok'])
        unknown = [e for e in answer.json['errors'] if e['pointer'] == '/pollers/orders/idntity']
        self.assertEqual(len(unknown), 1, answer)
        self.assertEqual(set(unknown[0]), {'pointer', 'line', 'message', 'hint'})
        self.assertEqual(unknown[0]['line'], line)
        self.assertIn('identity', unknown[0]['message'] + unknown[0]['hint'])
        for_people = self.assert_exit(2, self.folder.call('validate'))
        self.assert_says(for_people, f'test.watukuy.json:{line}: /pollers/orders/idntity')

    def test_other_commands_refuse_the_same_workspace_with_the_same_words(self):
        self.folder.write('{"version": 1, // no comments\n "pollers": {}}')
        said = self.assert_exit(2, self.folder.call('validate')).err.splitlines()[0]
        for words in (('tick',), ('run',), ('inspect',), ('test', 'a'), ('pause', 'a'), ('migrate',), ('export', 'a')):
            with self.subTest(words):
                self.assert_says(self.assert_exit(2, self.folder.call(*words)), said)
        self.assertEqual([p.name for p in self.folder.path.iterdir()], ['test.watukuy.json'])


if __name__ == '__main__':
    unittest.main()
