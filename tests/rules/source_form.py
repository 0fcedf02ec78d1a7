#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every source file must look like: licence line, length, no forbidden words in the wrong room."""
import re
import sys
from pathlib import Path

SPDX = 'SPDX-License-Identifier: GPL-3.0-or-later'
TOPS = ('engine', 'ui', 'app', 'tests')
STRINGS = re.compile(r'"(?:\\.|[^"\\\n])*"')
COMMENTS = re.compile(r'//[^\n]*|/\*.*?\*/', re.S)

# (where, what, why)
FORBIDDEN = (
    (re.compile(r'^engine/'), re.compile(r'(?<![\w.])(?:tr|QT_TR_NOOP|translate)\s*\('),
     'the engine speaks in codes and data, only ui and app translate'),
    (re.compile(r'\.h$'), re.compile(r'^\s*using\s+namespace\b', re.M), 'no `using namespace` in a header'),
    (re.compile(r'^(?:engine|ui|app)/'), re.compile(r'\bprocessEvents\s*\(|\bQEventLoop\s+\w|BlockingQueuedConnection'),
     'no nested event loops and no blocking connections'),
    (re.compile(r'^(?:engine|ui|app)/'),
     re.compile(r'\bsleep_for\s*\(|\bsleep_until\s*\(|QThread::[mu]?sleep\s*\(|(?<![\w.:>])u?sleep\s*\('),
     'no sleeps: wait for what you wait for'),
    (re.compile(r'^engine/|^app/cli/'),
     re.compile(r'#\s*include\s*<(?:QtGui|QtWidgets|QtCharts)\b|#\s*include\s*<Q(?:Widget|Application|GuiApplication|'
                r'Painter|Color|Icon|Pixmap|Image|Chart)\w*>'),
     'the engine and the command line know neither Gui nor Widgets'),
)


def faults_in(name, text):
    """Faults of one file, as lines for people."""
    faults = []
    lines = text.splitlines()
    header = name.endswith('.h')
    first = lines[0] if lines else ''
    if SPDX not in first and not (first.startswith('#!') and len(lines) > 1 and SPDX in lines[1]):
        faults.append(f'{name}: the first line is not the licence line "{SPDX}"')
    if name.endswith('.py'):
        return faults
    if header and not (len(lines) > 1 and re.match(r'//\s*\S', lines[1])):
        faults.append(f'{name}: the second line does not say what the header is for')
    if header and '#pragma once' not in text:
        faults.append(f'{name}: no #pragma once')
    longest = 300 if header else 600
    if len(lines) > longest:
        faults.append(f'{name}: {len(lines)} lines, at most {longest}: it wants splitting')
    code = COMMENTS.sub('', STRINGS.sub('""', text))
    for where, what, why in FORBIDDEN:
        if not where.search(name):
            continue
        for match in what.finditer(code):
            faults.append(f'{name}: `{match[0].strip()}`: {why}')
    return faults


def faults_of(root):
    root = Path(root)
    faults = []
    for top in TOPS:
        for file in sorted((root / top).rglob('*')):
            if file.suffix in ('.h', '.cpp', '.py') and '__pycache__' not in file.parts:
                faults += faults_in(file.relative_to(root).as_posix(), file.read_text(encoding='utf-8'))
    return faults


if __name__ == '__main__':
    found = faults_of(sys.argv[1])
    print('\n'.join(found) or 'every source file has the form of the house')
    sys.exit(1 if found else 0)
