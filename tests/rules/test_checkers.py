#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checkers of this folder do see what they are for."""
import tempfile
import unittest
from pathlib import Path

import coroutine_arguments
import include_direction
import link_closure
import source_form
import ui_text

LICENCE = '// SPDX-License-Identifier: GPL-3.0-or-later\n'
GRAPH = '# Engine\n```\nmodel\njson -> model\nrun -> json model\napi -> run model\napp -> api model (all programs)\n```\n'


class IncludeDirection(unittest.TestCase):
    def faults_with(self, path, include, graph=GRAPH):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in (('engine/README.md', graph), (path, f'#include "{include}"\n'),
                               ('engine/model/key.h', ''), ('engine/run/engine.h', '')):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding='utf-8')
            return include_direction.faults_of(root)

    def test_an_arrow_may_be_followed(self):
        self.assertEqual(self.faults_with('engine/json/a.cpp', 'engine/model/key.h'), [])
        self.assertEqual(self.faults_with('app/cli/a.cpp', 'engine/model/key.h'), [])

    def test_no_arrow_is_a_fault(self):
        self.assertIn('no arrow json -> run', self.faults_with('engine/json/a.cpp', 'engine/run/engine.h')[0])
        self.assertIn('no arrow app -> run', self.faults_with('app/cli/a.cpp', 'engine/run/engine.h')[0])

    def test_a_path_that_is_not_from_the_root_is_a_fault(self):
        self.assertIn('not a path from the root', self.faults_with('engine/json/a.cpp', 'b.h')[0])

    def test_a_circle_is_a_fault(self):
        faults = self.faults_with('engine/json/a.cpp', 'engine/model/key.h', GRAPH.replace('model\njson', 'model -> api\njson'))
        self.assertTrue(any('circle' in fault for fault in faults), faults)

    def test_a_missing_graph_is_a_fault(self):
        with self.assertRaises(ValueError):
            include_direction.read_graph('# nothing here')


class UiText(unittest.TestCase):
    def test_a_plain_text_for_people_is_a_fault(self):
        self.assertEqual(len(ui_text.faults_in('ui/a.cpp', 'label->setText(u"Trigger now"_s);')), 1)
        self.assertEqual(len(ui_text.faults_in('ui/a.cpp', 'menu(x, QStringLiteral("Pause"));')), 1)

    def test_translated_texts_and_names_are_none(self):
        self.assertEqual(ui_text.faults_in('ui/a.cpp', 'tr("Trigger now"); setObjectName(u"views"_s); u"<b>two words</b>"_s'), [])


class SourceForm(unittest.TestCase):
    def assert_fault(self, word, name, text):
        faults = source_form.faults_in(name, text)
        self.assertTrue(any(word in fault for fault in faults), faults)

    def test_a_proper_file_has_no_fault(self):
        self.assertEqual(source_form.faults_in('engine/a.h', LICENCE + '// What it is for.\n#pragma once\n'), [])
        self.assertEqual(source_form.faults_in('engine/a.cpp', LICENCE + 'auto a = str("tr(x) // no");\n'), [])

    def test_each_fault_is_seen(self):
        self.assert_fault('licence', 'engine/a.cpp', 'int a;\n')
        self.assert_fault('what the header is for', 'engine/a.h', LICENCE + '#pragma once\n')
        self.assert_fault('pragma once', 'engine/a.h', LICENCE + '// What.\n')
        self.assert_fault('wants splitting', 'ui/a.cpp', LICENCE + '\n' * 600)
        self.assert_fault('wants splitting', 'ui/a.h', LICENCE + '\n' * 300)
        self.assert_fault('translate', 'engine/a.cpp', LICENCE + 'auto a = tr("x");\n')
        self.assert_fault('using namespace', 'ui/a.h', LICENCE + '// What.\n#pragma once\nusing namespace std;\n')
        self.assert_fault('nested', 'ui/a.cpp', LICENCE + 'QCoreApplication::processEvents();\n')
        self.assert_fault('sleeps', 'engine/a.cpp', LICENCE + 'QThread::msleep(3);\n')
        self.assert_fault('neither Gui', 'app/cli/a.cpp', LICENCE + '#include <QWidget>\n')


class CoroutineArguments(unittest.TestCase):
    def faults(self, code):
        return coroutine_arguments.faults_in('a.cpp', code)

    def test_an_aggregate_in_a_co_await_is_a_fault(self):
        for code in ('auto a = co_await f(Key{b, c});', 'co_await f({.limit = 5});', 'if (auto a = co_await s.f(x,\n {}); !a) {',
                     'co_return co_await f(T<int>{1});'):
            with self.subTest(code):
                self.assertEqual(len(self.faults(code)), 1)

    def test_names_lambdas_and_the_block_behind_it_are_none(self):
        for code in ('co_await f(key);', 'while (co_await f(x)) { g(Key{1}); }', 'co_await f([a](int b) { return Key{b}; }, c);',
                     'co_await stop(Duration{0});', '// co_await f(Key{b, c});\n', 'co_await f("{");'):
            with self.subTest(code):
                self.assertEqual(self.faults(code), [])


class LinkClosure(unittest.TestCase):
    def test_gui_in_the_closure_is_a_fault(self):
        self.assertEqual(link_closure.faults_in_libraries('p', ['libQt6Core.so.6', 'libQt6Network.so.6']), [])
        self.assertIn('loads libQt6Gui.so.6', link_closure.faults_in_libraries('p', ['libQt6Core.so.6', 'libQt6Gui.so.6'])[0][2:])
        self.assertTrue(link_closure.faults_in_libraries('p', ['libc.so.6']))

    def test_an_engine_object_compiled_against_widgets_is_a_fault(self):
        def command(define):
            return [{'file': '/x/engine/run/a.cpp', 'command': f'c++ {define} -c a.cpp'}]
        self.assertEqual(link_closure.faults_in_commands(command('-DQT_CORE_LIB')), [])
        self.assertTrue(link_closure.faults_in_commands(command('-DQT_WIDGETS_LIB')))
        self.assertTrue(link_closure.faults_in_commands([]))


if __name__ == '__main__':
    unittest.main()
