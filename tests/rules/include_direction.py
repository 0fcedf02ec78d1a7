#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Includes may only follow the arrows that engine/README.md draws.

The graph is the fenced block of engine/README.md that holds a line `run -> ...`; every line of it is
`room` or `room -> room room ...`. `app` stands for app/, `ui` for ui/, every other room for engine/<room>.
"""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
LINE = re.compile(r'^([a-z]+)(?:\s*->\s*([a-z ]*?))?\s*(?:\(.*\)|#.*)?$')


def read_graph(text):
    """The graph as {room: set of rooms}, or a ValueError that says what is wrong with it."""
    for block in re.findall(r'^```[^\n]*\n(.*?)^```', text, re.M | re.S):
        if not re.search(r'^run\s*->', block, re.M):
            continue
        graph = {}
        for line in filter(None, map(str.strip, block.splitlines())):
            match = LINE.match(line)
            if not match:
                raise ValueError(f'this line of the graph is not "room -> room ...": {line}')
            graph[match[1]] = set((match[2] or '').split())
        return graph
    raise ValueError('engine/README.md has no fenced block with a line "run -> ..."')


def circle_in(graph):
    """Rooms that form a circle, or an empty list."""
    done, path = set(), []

    def visit(room):
        if room in path:
            return path[path.index(room):] + [room]
        if room in done:
            return []
        path.append(room)
        for target in sorted(graph.get(room, ())):
            found = visit(target)
            if found:
                return found
        path.pop()
        done.add(room)
        return []

    for start in sorted(graph):
        found = visit(start)
        if found:
            return found
    return []


def room_of(path):
    parts = Path(path).parts
    if parts[0] in ('app', 'ui'):
        return parts[0]
    if parts[0] == 'engine' and len(parts) > 2:
        return parts[1]
    return None


def faults_of(root):
    root = Path(root)
    graph = read_graph((root / 'engine/README.md').read_text(encoding='utf-8'))
    faults = []
    circle = circle_in(graph)
    if circle:
        faults.append('the graph of engine/README.md has a circle: ' + ' -> '.join(circle))
    for room, targets in graph.items():
        for target in sorted(targets - set(graph)):
            faults.append(f'the graph of engine/README.md: {room} -> {target}, but {target} has no line')

    files = [f for top in ('engine', 'ui', 'app') for f in sorted((root / top).rglob('*')) if f.suffix in ('.h', '.cpp')]
    for file in files:
        name = file.relative_to(root).as_posix()
        room = room_of(name)
        if room is None:
            continue
        if room not in graph:
            faults.append(f'{name}: the room {room} is not in the graph of engine/README.md')
            continue
        for target_name in INCLUDE.findall(file.read_text(encoding='utf-8')):
            if target_name.endswith('.moc'):
                continue
            target = room_of(target_name)
            if target is None:
                if not (root / target_name).exists() and not target_name.startswith(('generated/', 'ui_')):
                    faults.append(f'{name}: "{target_name}" is not a path from the root of the project')
            elif name.startswith('app/cli/') and target == 'ui':
                faults.append(f'{name}: the command line includes {target_name}; it must build without ui')
            elif target != room and target not in graph[room]:
                faults.append(f'{name}: {room} includes {target_name}, but there is no arrow {room} -> {target}')
    return faults


if __name__ == '__main__':
    try:
        found = faults_of(sys.argv[1])
    except (OSError, ValueError) as error:
        found = [str(error)]
    print('\n'.join(found) or 'every include follows the arrows')
    sys.exit(1 if found else 0)
