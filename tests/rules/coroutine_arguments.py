#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""No braces in the arguments of a co_await: GCC 12 destroys such an aggregate twice.

`co_await store.pause(Key{poller, partition})` and `co_await store.load({.limit = 5})` free memory that is still in use
(measured with GCC 12.2; a value with a constructor, a named value, or the answer of a function is safe). Name the
value on the line before.
"""
import re
import sys
from pathlib import Path

from source_form import COMMENTS, STRINGS

TRIVIAL = re.compile(r'(?:Duration|Instant)\s*\{') # nothing to destroy
OPEN, CLOSE = '([{', ')]}'


def expression_after(code, start):
    """The text of the full expression that begins at `start`: up to the `;` or closing bracket that ends it."""
    depth = 0
    for position in range(start, len(code)):
        letter = code[position]
        if letter in OPEN:
            depth += 1
        elif letter in CLOSE:
            depth -= 1
            if depth < 0:
                return code[start:position]
        elif letter == ';' and depth == 0:
            return code[start:position]
    return code[start:]


def without_lambda_bodies(expression):
    """The expression with the bodies of its lambdas left out: what stands there runs elsewhere."""
    while True:
        match = re.search(r'\[[^\[\]]*\]\s*(?:\([^()]*\))?\s*(?:mutable\s*)?(?:->\s*[\w:<>*& ]+?\s*)?\{', expression)
        if not match:
            return expression
        depth, position = 1, match.end()
        while position < len(expression) and depth:
            depth += {'{': 1, '}': -1}.get(expression[position], 0)
            position += 1
        expression = expression[:match.start()] + 'lambda' + expression[position:]


def faults_in(name, text):
    code = COMMENTS.sub(lambda m: re.sub(r'[^\n]', ' ', m[0]), STRINGS.sub('""', text))
    faults = []
    for match in re.finditer(r'\bco_await\b', code):
        expression = without_lambda_bodies(expression_after(code, match.end()))
        brace = re.search(r'[\w:>]*\s*\{[^}]{0,30}', expression)
        if brace and not TRIVIAL.match(brace[0]):
            line = code.count('\n', 0, match.start()) + 1
            faults.append(f'{name}:{line}: `{" ".join(brace[0].split())}...` is destroyed twice by GCC 12; name it first')
    return faults


def faults_of(root):
    root = Path(root)
    files = [f for top in ('engine', 'ui', 'app', 'tests') for f in sorted((root / top).rglob('*')) if f.suffix in ('.h', '.cpp')]
    return [fault for file in files for fault in faults_in(file.relative_to(root).as_posix(), file.read_text(encoding='utf-8'))]


if __name__ == '__main__':
    found = faults_of(sys.argv[1])
    print('\n'.join(found) or 'no braces in the arguments of a co_await')
    sys.exit(1 if found else 0)
