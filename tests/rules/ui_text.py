#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""No text of the user interface that is not translated: words in a plain literal of ui/ or app/desktop/."""
import re
import sys
from pathlib import Path

LITERAL = re.compile(r'(?<!\w)(?:u"((?:\\.|[^"\\\n])*)"_s|QStringLiteral\("((?:\\.|[^"\\\n])*)"\))')
SPOKEN = re.compile(r'[A-Za-z]{2,} [A-Za-z]{2,}|^[A-Z][a-z]{3,}$')
MARKUP = re.compile(r'[{}<>]|^:/|^qt_|^yyyy-')


def faults_in(name, text):
    faults = []
    for match in LITERAL.finditer(re.sub(r'//[^\n]*', '', text)):
        words = match.group(1) if match.group(1) is not None else match.group(2)
        if words != 'Watukuy' and SPOKEN.search(words) and not MARKUP.search(words):
            faults.append(f'{name}: "{words}" is shown to people and does not go through tr()')
    return faults


def main(root):
    faults = []
    for folder in ('ui', 'app/desktop'):
        for path in sorted((root / folder).rglob('*.cpp')):
            faults += faults_in(str(path.relative_to(root)), path.read_text(encoding='utf-8'))
    print('\n'.join(faults) or 'Every text of the windows goes through tr().')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main(Path(sys.argv[1])))
