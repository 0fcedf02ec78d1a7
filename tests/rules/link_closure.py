#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The `watukuy` binary and every object of the engine are free of Qt Gui and Widgets.

usage: link_closure.py compile_commands.json PROGRAM
"""
import json
import re
import subprocess
import sys

FORBIDDEN_LIBRARY = re.compile(r'^libQt6(?:Gui|Widgets|Charts|OpenGL\w*|Quick\w*|Svg\w*)\.')
FORBIDDEN_DEFINE = re.compile(r'-DQT_(?:GUI|WIDGETS|CHARTS|QUICK)_LIB\b')


def libraries_of(program):
    """Everything the dynamic linker would load for the program, direct and by way of others."""
    answer = subprocess.run(['ldd', program], capture_output=True, text=True, check=True)
    names = [line.split()[0] for line in answer.stdout.splitlines() if line.strip()]
    return [name.rsplit('/', 1)[-1] for name in names]


def faults_in_libraries(program, names):
    faults = [f'{program} loads {name}' for name in names if FORBIDDEN_LIBRARY.match(name)]
    if not any(name.startswith('libQt6Core.') for name in names):
        faults.append(f'{program} does not load Qt Core: this check looked at the wrong file')
    return faults


def faults_in_commands(commands):
    """Objects of the engine or the command line that are compiled against Gui or Widgets."""
    looked_at = [c for c in commands if re.search(r'/(?:engine|app/cli)/', c['file'])]
    faults = [f"{c['file']} is compiled against {FORBIDDEN_DEFINE.search(c['command'])[0][2:]}"
              for c in looked_at if FORBIDDEN_DEFINE.search(c['command'])]
    if not looked_at:
        faults.append('no object of the engine in the compile commands: this check looked at the wrong file')
    return faults


if __name__ == '__main__':
    with open(sys.argv[1], encoding='utf-8') as file:
        found = faults_in_commands(json.load(file))
    found += faults_in_libraries(sys.argv[2], libraries_of(sys.argv[2]))
    print('\n'.join(found) or 'no Gui and no Widgets')
    sys.exit(1 if found else 0)
