#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples in docs/*.md, run as docs/README.md says: each document in a fresh folder with a fresh demo API."""
import difflib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from harness import PROGRAM, Answer, CliTest, Folder, call, snapshot_poller, workspace
from server import Server

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / 'docs'
DOCUMENTS = sorted(DOCS.glob('*.md'))
ADDRESS = '127.0.0.1:8080' # what the documents write for the demo API
ANYTHING = '…'
PATIENCE = 60 # seconds for one command

# Some documents ask the demo API for faults with curl; where there is none, this is enough for them.
CURL = f"""#!{sys.executable}
import sys, urllib.request
sys.stdout.write(urllib.request.urlopen(sys.argv[-1], timeout=10).read().decode())
"""

# What a fragment that shows some keys is laid over, so that the program can check it.
POLLER = {'request': {'url': 'https://api.example.com/orders'}, 'identity': 'id', 'cursor': {'strategy': 'snapshotDiff'}}
SINKS = {name: {'kind': 'file', 'path': f'{name}.jsonl'} for name in ('log', 'hook')}


class Command:
    """A `$ ` line of a document and what it should leave behind."""

    def __init__(self, text, line):
        self.text, self.line, self.code = text, line, 0
        self.expected = [] # pairs: the line's number in the document, the line


class WrittenFile:
    """A ```json block with the name of a file."""

    def __init__(self, name, line):
        self.name, self.line, self.lines = name, line, []


class Fragment(WrittenFile):
    """A ```json block marked `poller` or `workspace`: some keys of one."""


def steps_of(document, text):
    """The files, fragments and commands of a document, in its order."""
    steps, block, last = [], None, None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith('```'):
            if block is not None:
                block, last = None, None
                continue
            kind, _, name = line[3:].strip().partition(' ')
            block = 'other'
            if kind == 'json' and name:
                block = 'file'
                last = (Fragment if name in ('poller', 'workspace') else WrittenFile)(name, number)
                steps.append(last)
            elif kind == 'console':
                block = 'console'
        elif block == 'file':
            last.lines.append(line)
        elif block == 'console' and line.startswith('$ '):
            last = Command(line[2:], number)
            steps.append(last)
        elif block == 'console':
            if last is None:
                raise ValueError(f'docs/{document}, line {number}: output before the first command')
            exit_line = re.fullmatch(r'# exit (\d+)', line)
            if exit_line:
                last.code = int(exit_line[1])
            else:
                last.expected.append((number, line))
    if block is not None:
        raise ValueError(f'docs/{document}: a fenced block has no end')
    return steps


def steps_in(document):
    return steps_of(document.name, document.read_text(encoding='utf-8'))


def plain(line):
    """Columns are as wide as their content: how many spaces stand between two words does not count."""
    return ' '.join(line.split())


def lines_of(text):
    return [line for line in map(plain, text.splitlines()) if line]


def pattern_of(line):
    return '.*'.join(re.escape(part) for part in line.split(ANYTHING))


def matches(expected, actual):
    pattern = ''.join(r'(?:.*\n)*?' if line == ANYTHING else pattern_of(line) + r'\n' for line in expected)
    return re.fullmatch(pattern, ''.join(line + '\n' for line in actual)) is not None


def first_unmatched(expected, actual):
    """How many expected lines the output begins with."""
    fitting = 0
    while fitting < len(expected) and matches(expected[:fitting + 1] + [ANYTHING], actual):
        fitting += 1
    return fitting


def difference(expected, actual):
    """Both, line by line; an expected line that some line fits is shown as that line."""
    shown = []
    for line in expected:
        fitting = [other for other in actual if line != ANYTHING and re.fullmatch(pattern_of(line), other)]
        shown.append(fitting[0] if fitting else line)
    return '\n'.join(difflib.unified_diff(shown, actual, 'expected', 'got', lineterm='', n=100))


def complaint(document, command, answer, here=lambda text: text):
    """Nothing when the command did what the document says; else where, what was expected, and what came."""
    numbered = [(number, plain(here(line))) for number, line in command.expected if plain(line)]
    expected = [line for _, line in numbered]
    actual = lines_of(answer.out) + lines_of(answer.err)
    where = f'docs/{document}, line {command.line}: $ {command.text}'
    if not matches(expected, actual):
        fitting = first_unmatched(expected, actual)
        if fitting < len(numbered):
            first = f'docs/{document}, line {numbered[fitting][0]} is not what came: {numbered[fitting][1]}'
        else:
            first = 'more came than the document shows'
        return f'{where}\n{first}\n{difference(expected, actual)}\n(exit {answer.code})'
    if answer.code != command.code:
        return f'{where}\nexpected exit {command.code}, got {answer.code}\n{answer}'
    return None


def whole(fragment):
    """The workspace that a fragment is a part of."""
    keys = json.loads('\n'.join(fragment.lines))
    if fragment.name == 'workspace':
        return {'version': 1, **keys, 'sinks': {**SINKS, **keys.get('sinks', {})}}
    budgets = {keys['budget']: {'requests': 1000, 'per': '1m'}} if 'budget' in keys else {}
    return {'version': 1, 'sinks': SINKS, 'budgets': budgets, 'credentials': {'erp': {'kind': 'bearer', 'token': '${env:T}'}},
            'pollers': {'orders': {**POLLER, **keys}, 'shops': POLLER}}


class Documents(CliTest):
    def setUp(self):
        super().setUp()
        tools = self.folder.path / '.tools'
        tools.mkdir()
        (tools / 'watukuy').write_text(f'#!/bin/sh\nexec {shlex.quote(PROGRAM)} "$@"\n')
        if not shutil.which('curl'):
            (tools / 'curl').write_text(CURL)
        for tool in tools.iterdir():
            tool.chmod(0o755)
        self.environment = {**os.environ, 'PATH': f'{tools}{os.pathsep}{os.environ["PATH"]}', 'LC_ALL': 'C.UTF-8'}
        api = self.start('demo-api', '--port', '0', '--json')
        self.address = json.loads(api.stdout.readline())['url'].removeprefix('http://')

    def here(self, text):
        return text.replace(ADDRESS, self.address)

    def run_document(self, document):
        for step in steps_in(document):
            if isinstance(step, Command):
                said = complaint(document.name, step, self.run_command(document.name, step), self.here)
                if said:
                    self.fail(said)
            elif not isinstance(step, Fragment):
                self.folder.write(self.here('\n'.join(step.lines) + '\n'), step.name)

    def run_command(self, document, command):
        process = subprocess.Popen(self.here(command.text), shell=True, cwd=self.folder.path, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            self.fail(f'docs/{document}, line {command.line}: $ {command.text}\nnot done within {PATIENCE} s\n'
                      f'{Answer(process.returncode, out, err)}')
        return Answer(process.returncode, out, err)


def add_documents():
    """A test for each document, so that they fail one by one."""
    def test_of(document):
        return lambda self: self.run_document(document)
    for document in DOCUMENTS:
        setattr(Documents, 'test_' + document.stem.replace('-', '_').lower(), test_of(document))


add_documents()


class Index(unittest.TestCase):
    def test_the_index_names_every_document_and_no_other(self):
        named = set(re.findall(r'\]\(([^):#]+\.md)\)', (DOCS / 'README.md').read_text(encoding='utf-8')))
        self.assertEqual({name for name in named if '/' not in name},
                         {document.name for document in DOCUMENTS} - {'README.md'})

    def test_every_link_leads_somewhere(self):
        for document in DOCUMENTS:
            for name in re.findall(r'\]\((?!https?:)([^)#]+)', document.read_text(encoding='utf-8')):
                self.assertTrue((DOCS / name).exists(), f'docs/{document.name} links to {name}')

    def test_each_document_has_an_example_that_runs(self):
        for document in DOCUMENTS:
            with self.subTest(document.name):
                steps = steps_in(document)
                self.assertTrue(any(type(step) is WrittenFile for step in steps), 'no workspace')
                commands = [step for step in steps if isinstance(step, Command) and 'watukuy' in step.text]
                shown = [set(line) - {ANYTHING} for command in commands for _, line in command.expected]
                self.assertTrue(any(shown), 'no output')

    def test_the_fragments_are_valid(self):
        for document in DOCUMENTS:
            for step in steps_in(document):
                if not isinstance(step, Fragment):
                    continue
                with self.subTest(f'docs/{document.name}, line {step.line}'):
                    folder = Folder()
                    self.addCleanup(folder.remove)
                    folder.write(whole(step))
                    answer = folder.call('validate')
                    self.assertEqual(answer.code, 0, answer)


class Completeness(unittest.TestCase):
    """What an operator can write or type is explained somewhere."""

    EVERYTHING = '\n'.join(document.read_text(encoding='utf-8') for document in DOCUMENTS)
    # Sinks and stores of kinds that this version cannot use yet.
    LATER = ('kafkaSink', 'redisSink', 'commandSink', 'notificationSink', 'postgresStore', 'redisStore')
    SCHEMA = json.loads((ROOT / 'resources/workspace.schema.json').read_text(encoding='utf-8'))

    def test_every_key_of_a_workspace_is_explained(self):
        missing = []

        def look(name, part):
            for key, inner in part.get('properties', {}).items():
                if not re.search(r'["`.{]' + re.escape(key) + r'["`:.}/]', self.EVERYTHING):
                    missing.append(f'{name}.{key}')
                look(f'{name}.{key}', inner)
            for word in ('oneOf', 'anyOf', 'allOf'):
                for inner in part.get(word, []):
                    look(name, inner)
        look('', self.SCHEMA)
        for name, part in self.SCHEMA['$defs'].items():
            if name not in self.LATER:
                look(name, part)
        self.assertEqual(missing, [])

    # The tables `| key of … | default | |`, and the part of the workspace that each describes.
    TABLES = {'a workspace': '', 'a poller': 'poller', '`cursor`': 'timestampCursor', '`reconcile`': 'reconcile',
              '`request`': 'request', '`response`': 'response', '`partitions`': 'partitions', '`schedule`': 'schedule',
              '`deliver`': 'deliver', '`lease`': 'lease', 'a budget': 'budget', '`oauth2`': 'oauth2Credential',
              '`hmac`': 'hmacCredential', 'a `file` sink': 'fileSink', 'a `webhook` sink': 'webhookSink'}

    def test_the_tables_name_keys_that_exist_and_their_defaults(self):
        tables = re.findall(r'^\| key of ([^|]+) \| default \|[^\n]*\n[^\n]*\n((?:\|[^\n]*\n)+)', self.EVERYTHING, re.M)
        self.assertEqual({name for name, _ in tables}, set(self.TABLES))
        for name, rows in tables:
            part = self.SCHEMA if name == 'a workspace' else self.SCHEMA['$defs'].get(self.TABLES[name])
            known = (part or self.SCHEMA['properties'][self.TABLES[name]])['properties']
            for key, default in re.findall(r'^\| `([^`]+)` \| ([^|]*) \|', rows, re.M):
                with self.subTest(f'{key} of {name}'):
                    self.assertIn(key, known)
                    value = known[key].get('default')
                    if isinstance(value, (str, int, float)):
                        written = value.replace('\n', r'\n') if isinstance(value, str) else json.dumps(value)
                        self.assertEqual(default.strip().strip('`'), written)

    def test_every_command_and_option_is_explained(self):
        commands = re.findall(r'^  ([a-z][a-z-]*)', call('--help').out, re.M)
        self.assertTrue(commands)
        for command in commands:
            with self.subTest(command):
                self.assertTrue(re.search(rf'[`|$] ?(?:watukuy )?{command}\b', self.EVERYTHING), 'not explained')
                options = re.findall(r'^  (--[a-z-]+)', call(command, '--help').out, re.M)
                self.assertEqual([option for option in options if option not in self.EVERYTHING], [])


class Members(CliTest):
    """The table of answers for programs, held against the answers."""

    ROWS = dict(re.findall(r'^\| `([a-z ]+)` \| [^`|]*`([^`]+)`', (DOCS / 'operations.md').read_text(encoding='utf-8')
                           .split('## Answers for programs')[1].split('\n## ')[0], re.M))

    def expect(self, command, answer):
        shown = answer[0] if isinstance(answer, list) else answer
        documented = {}
        for name, inner in re.findall(r'([a-zA-Z]+)(?:\[?\{([^}]*)\}\]?)?(?:, |$)', self.ROWS[command]):
            documented[name] = set(inner.split(',')) if inner else None
        self.assertEqual(set(shown), set(documented), command)
        for name, inner in documented.items():
            value = shown[name][0] if isinstance(shown[name], list) and shown[name] else shown[name]
            if inner and value and '…' not in inner:
                self.assertEqual(set(value), inner, f'{command}: {name}')

    def test_each_answer_has_the_members_that_the_table_names(self):
        server = self.serve(Server(25))
        poller = snapshot_poller(server, schema={'properties': {'id': {'maximum': 20}}}, budget='small',
                                 schedule={'min': '1h', 'max': '1h'})
        self.folder.write(workspace({'items': poller}, budgets={'small': {'requests': 100, 'per': '1m'}}))

        def ask(*words):
            return self.folder.call(*words, '--json').json
        self.expect('test', ask('test', 'items'))
        self.expect('tick', ask('tick'))
        self.expect('parked ls', ask('parked', 'ls', 'items'))
        server.answer('/items', 200, b'{"items":[],"more":false}')
        self.expect('changing commands', ask('trigger', 'items'))
        ask('tick')
        self.expect('held ls', ask('held', 'ls', 'items'))
        self.expect('inspect', ask('inspect'))
        self.expect('audit', ask('audit'))
        self.expect('partitions ls', ask('partitions', 'ls', 'items'))
        self.expect('budgets', ask('budgets'))
        self.folder.write('{}')
        self.expect('validate', ask('validate'))


class Comparison(unittest.TestCase):
    """What the examples rest on: that an output that differs is told from one that does not."""

    def test_an_ellipsis_stands_for_what_varies(self):
        self.assertTrue(matches(['a … c', '…', 'end'], ['a 1 2 c', 'x', 'y', 'end']))
        self.assertTrue(matches(['…'], []))
        self.assertTrue(matches(lines_of('KEY   STATE\n\nshop  Idle'), lines_of('KEY  STATE\nshop   Idle\n')))

    def test_what_does_not_vary_must_be_there(self):
        self.assertFalse(matches(['a … c'], ['a b d']))
        self.assertFalse(matches(['a'], ['a', 'b']))
        self.assertFalse(matches([], ['a']))
        self.assertFalse(matches(['a', '…', 'c'], ['a', 'b']))
        self.assertFalse(matches(['a.c'], ['abc']))

    def test_blocks_are_read_as_the_index_describes_them(self):
        steps = steps_of('a.md', '```json a.watukuy.json\n{}\n```\n```json\n{"no": "file"}\n```\n'
                                 '```json poller\n{"retain": "payload"}\n```\n'
                                 '```console\n$ false\nout\n# exit 1\n$ true\n```\n')
        self.assertEqual([type(step) for step in steps], [WrittenFile, Fragment, Command, Command])
        self.assertEqual((steps[0].name, steps[0].lines), ('a.watukuy.json', ['{}']))
        self.assertEqual(whole(steps[1])['pollers']['orders']['retain'], 'payload')
        self.assertEqual([(s.text, s.code, s.expected) for s in steps[2:]], [('false', 1, [(12, 'out')]), ('true', 0, [])])

    def test_a_difference_names_the_document_the_line_and_both_texts(self):
        command = steps_of('a.md', '```console\n$ watukuy tick\nKEY  RESULT\nshop done\n…\n```\n')[0]
        self.assertIsNone(complaint('a.md', command, Answer(0, 'KEY RESULT\nshop   done\nmore\n', '')))
        said = complaint('a.md', command, Answer(1, 'KEY RESULT\nshop failed\n', 'watukuy: why\n'))
        for part in ('docs/a.md, line 2: $ watukuy tick', 'line 4 is not what came', '-shop done', '+shop failed',
                     '+watukuy: why', 'exit 1'):
            self.assertIn(part, said)
        self.assertIn('expected exit 0, got 1', complaint('a.md', command, Answer(1, 'KEY RESULT\nshop done\n', '')))


if __name__ == '__main__':
    unittest.main()
