// SPDX-License-Identifier: GPL-3.0-or-later
// The file sink on a real disk: whole lines only, private files, rotation, and what others do to them.
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "engine/delivery/envelope.h"
#include "engine/delivery/filesink.h"
#include "tests/support/virtualclock.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using tests::VirtualClock;

class TestFileSink : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    VirtualClock m_clock;

    [[nodiscard]] QString path(const QString &name) const { return m_folder->filePath(name); }

    [[nodiscard]] FileSinkDefinition definition(const QString &name) const
    {
        FileSinkDefinition definition;
        definition.path = *Template::parse(path(name));
        definition.fsync = FsyncPolicy::Always;
        return definition;
    }

    static SinkAnswer::Outcome write(FileSink &sink, const QByteArray &envelope,
                                     const QString &poller = u"orders"_s, const QString &partition = {})
    {
        Delivery delivery;
        delivery.event.key = {poller, partition};
        delivery.envelope = envelope;
        const SinkAnswer answer = QCoro::waitFor(sink.deliver(std::move(delivery)));
        if (answer.outcome != SinkAnswer::Outcome::Accepted)
            m_lastError = answer.error;
        return answer.outcome;
    }

    /// As long as what a sink tells events by.
    static QByteArray envelope(int number)
    {
        return "{\"id\":\"" + QByteArray(32, 'a') +
               "\",\"type\":\"created\",\"n\":" + QByteArray::number(number) + '}';
    }

    [[nodiscard]] QByteArray content(const QString &name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("no such file");
    }

    void put(const QString &name, const QByteArray &bytes) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }

    [[nodiscard]] QStringList files() const
    {
        return QDir(m_folder->path()).entryList(QDir::Files, QDir::Name);
    }

    static inline Error m_lastError;

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void eachEventIsALine()
    {
        FileSink sink(definition(u"e.jsonl"_s), m_clock);
        QVERIFY(write(sink, "{\"a\":1}") == SinkAnswer::Outcome::Accepted);
        QVERIFY(write(sink, "{\"a\":2}") == SinkAnswer::Outcome::Accepted);
        QVERIFY(QCoro::waitFor(sink.flush()));
        QCOMPARE(content(u"e.jsonl"_s), "{\"a\":1}\n{\"a\":2}\n");
    }

    void filesAndFoldersAreTheOwnersAlone()
    {
        FileSink sink(definition(u"deep/er/e.jsonl"_s), m_clock);
        QVERIFY(write(sink, "{}") == SinkAnswer::Outcome::Accepted);
        constexpr auto others = QFile::ReadGroup | QFile::WriteGroup | QFile::ExeGroup | QFile::ReadOther |
                                QFile::WriteOther | QFile::ExeOther;
        QCOMPARE(QFile::permissions(path(u"deep/er/e.jsonl"_s)) & others, QFile::Permissions());
        QCOMPARE(QFile::permissions(path(u"deep/er"_s)) & others, QFile::Permissions());
        QCOMPARE(QFile::permissions(path(u"deep"_s)) & others, QFile::Permissions());
    }

    void aTornLineIsRemovedBeforeTheNextIsWritten_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        const QByteArray first = envelope(1) + '\n';
        Event event;
        event.id = QByteArray(32, 'i');
        const QByteArray cloud = cloudEvent(event);
        QTest::newRow("torn after a whole one") << first + envelope(2).chopped(5) << first + "new\n";
        for (const int left : {1, 2, 10, 45, 60})
            QTest::addRow("torn alone after %d bytes", left) << first.first(left) << QByteArray("new\n");
        QTest::newRow("whole") << first << first + "new\n";
        QTest::newRow("a CloudEvent") << cloud + '\n' << cloud + "\nnew\n";
        QTest::newRow("a torn CloudEvent") << cloud.first(20) << QByteArray("new\n");
        QTest::newRow("empty") << QByteArray("") << QByteArray("new\n");
        QTest::newRow("a long torn line") << first + QByteArray(200'000, 'x') << first + "new\n";
        QTest::newRow("a torn line as long as one step")
            << first + QByteArray(65'536, 'x') << first + "new\n";
    }
    void aTornLineIsRemovedBeforeTheNextIsWritten()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        put(u"e.jsonl"_s, before);
        FileSink sink(definition(u"e.jsonl"_s), m_clock);
        QVERIFY(write(sink, "new") == SinkAnswer::Outcome::Accepted);
        QCOMPARE(content(u"e.jsonl"_s), after);
    }

    void placeholdersNameTheFileAndCannotLeaveTheFolder()
    {
        FileSink sink(definition(u"${poller}-${partition}-${date}.jsonl"_s), m_clock);
        QVERIFY(write(sink, "1", u"orders"_s, u"eu"_s) == SinkAnswer::Outcome::Accepted);
        QVERIFY(write(sink, "2", u"orders"_s, u"../../etc"_s) == SinkAnswer::Outcome::Accepted);
        QCOMPARE(files(),
                 (QStringList{u"orders-.._.._etc-2026-01-01.jsonl"_s, u"orders-eu-2026-01-01.jsonl"_s}));
        m_clock.advance(24h);
        QVERIFY(write(sink, "3", u"orders"_s, u"eu"_s) == SinkAnswer::Outcome::Accepted);
        QVERIFY(files().contains(u"orders-eu-2026-01-02.jsonl"_s));
    }

    void aFileThatWouldGrowTooLargeIsSetAside()
    {
        FileSinkDefinition small = definition(u"e.jsonl"_s);
        small.rotateSize = 20;
        FileSink sink(small, m_clock);
        for (const char *line : {"0123456789", "abcdefgh", "next", "a line that is longer than the limit"})
            QVERIFY(write(sink, line) == SinkAnswer::Outcome::Accepted);
        QCOMPARE(files().size(), 3);
        QByteArray all;
        for (const QString &name : files()) {
            all += content(name);
            QVERIFY(content(name).endsWith('\n'));
        }
        QCOMPARE(content(u"e.jsonl"_s), "a line that is longer than the limit\n");
        for (const char *line : {"0123456789\nabcdefgh\n", "next\n"})
            QVERIFY(all.contains(line));
    }

    void onlySoManyOldFilesAreKept()
    {
        FileSinkDefinition small = definition(u"e.jsonl"_s);
        small.rotateSize = 3;
        small.keep = 2;
        put(u"e.notes"_s, "not ours");
        FileSink sink(small, m_clock);
        for (int line = 0; line < 9; ++line) {
            QVERIFY(write(sink, QByteArray::number(line)) == SinkAnswer::Outcome::Accepted);
            m_clock.advance(1s);
        }
        QCOMPARE(files().size(), 4);
        QVERIFY(files().contains(u"e.notes"_s));
        QCOMPARE(content(u"e.jsonl"_s), "8\n");
    }

    void aNewDayBeginsANewFile()
    {
        FileSinkDefinition daily = definition(u"e.jsonl"_s);
        daily.rotateDaily = true;
        FileSink sink(daily, m_clock);
        QVERIFY(write(sink, "1") == SinkAnswer::Outcome::Accepted);
        m_clock.advance(1h);
        QVERIFY(write(sink, "2") == SinkAnswer::Outcome::Accepted);
        QCOMPARE(content(u"e.jsonl"_s), "1\n2\n");
        m_clock.advance(24h);
        QVERIFY(write(sink, "3") == SinkAnswer::Outcome::Accepted);
        QCOMPARE(content(u"e.jsonl"_s), "3\n");
        QCOMPARE(files().size(), 2);
    }

    void aFileThatSomebodyTookAwayIsMadeAgain_data()
    {
        QTest::addColumn<bool>("moved");
        QTest::newRow("deleted") << false;
        QTest::newRow("moved, as logrotate does") << true;
    }
    void aFileThatSomebodyTookAwayIsMadeAgain()
    {
        QFETCH(bool, moved);
        FileSink sink(definition(u"e.jsonl"_s), m_clock);
        QVERIFY(write(sink, "1") == SinkAnswer::Outcome::Accepted);
        QVERIFY(moved ? QFile::rename(path(u"e.jsonl"_s), path(u"e.old"_s))
                      : QFile::remove(path(u"e.jsonl"_s)));
        QVERIFY(write(sink, "2") == SinkAnswer::Outcome::Accepted);
        QCOMPARE(content(u"e.jsonl"_s), "2\n");
        if (moved)
            QCOMPARE(content(u"e.old"_s), "1\n");
    }

    void twoProcessesMayAppendToOneFile()
    {
        FileSink one(definition(u"e.jsonl"_s), m_clock);
        FileSink other(definition(u"e.jsonl"_s), m_clock);
        for (int line = 0; line < 100; ++line)
            QVERIFY(write(line % 2 ? one : other, envelope(line)) == SinkAnswer::Outcome::Accepted);
        QCOMPARE(content(u"e.jsonl"_s).count('\n'), 100);
    }

    void moreFilesThanAreKeptOpenAreAllWritten()
    {
        FileSink sink(definition(u"${partition}.jsonl"_s), m_clock);
        for (int round = 0; round < 2; ++round) {
            for (int partition = 0; partition < 100; ++partition)
                QVERIFY(write(sink, envelope(round), u"orders"_s, QString::number(partition)) ==
                        SinkAnswer::Outcome::Accepted);
        }
        QCOMPARE(files().size(), 100);
        for (const QString &name : files())
            QCOMPARE(content(name), envelope(0) + '\n' + envelope(1) + '\n');
    }

    void aFileThatHoldsOtherThingsIsLeftAlone_data()
    {
        QTest::addColumn<QByteArray>("held");
        QTest::newRow("a secret without a line end") << QByteArray("s3cret");
        QTest::newRow("a database") << QByteArray("SQLite format 3\0\x10\0", 19);
        QTest::newRow("zeros") << QByteArray(4096, '\0');
        QTest::newRow("a workspace") << QByteArray("{\n  \"watukuy\": 1\n}\n");
        QTest::newRow("one line of JSON") << QByteArray("{\"id\":\"abc\",\"type\":\"user\"}");
    }
    void aFileThatHoldsOtherThingsIsLeftAlone()
    {
        QFETCH(QByteArray, held);
        put(u"theirs"_s, held);
        QVERIFY(QFile::setPermissions(path(u"theirs"_s),
                                      QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup));
        QVERIFY(QFile::link(path(u"theirs"_s), path(u"link.jsonl"_s)));
        FileSink sink(definition(u"${partition}.jsonl"_s), m_clock);
        QVERIFY(write(sink, envelope(1), u"orders"_s, u"link"_s) == SinkAnswer::Outcome::Refused);
        QVERIFY(m_lastError.detail.contains(u"something other than events"_s));
        QCOMPARE(content(u"theirs"_s), held);
        QVERIFY(QFile::permissions(path(u"theirs"_s)) & QFile::ReadGroup);

        FileSink open(definition(u"e.jsonl"_s), m_clock);
        QVERIFY(write(open, envelope(1)) == SinkAnswer::Outcome::Accepted);
        QVERIFY(QFile::remove(path(u"e.jsonl"_s)));
        QVERIFY(QFile::link(path(u"theirs"_s), path(u"e.jsonl"_s))); // while the sink has it open
        QVERIFY(write(open, envelope(2)) == SinkAnswer::Outcome::Down);
        QCOMPARE(content(u"theirs"_s), held);
    }

    void aFolderThatCannotBeMadeIsASinkThatIsDown()
    {
        put(u"blocked"_s, "a file where a folder should be");
        FileSink sink(definition(u"blocked/e.jsonl"_s), m_clock);
        QVERIFY(write(sink, "1") == SinkAnswer::Outcome::Down);
        QVERIFY(m_lastError.oneLine().contains(u"blocked/e.jsonl"_s) ||
                m_lastError.oneLine().contains(u"blocked"_s));
        QVERIFY(!m_lastError.nextStep.isEmpty());
        QVERIFY(QFile::remove(path(u"blocked"_s)));
        QVERIFY(write(sink, "1") == SinkAnswer::Outcome::Accepted);
    }

    void aNameThatCannotBeWrittenIsTheFaultOfItsEventsAlone()
    {
        FileSink sink(definition(u"${partition}.jsonl"_s), m_clock);
        QVERIFY(write(sink, "1", u"orders"_s, QString(300, u'p')) == SinkAnswer::Outcome::Refused);
        QVERIFY(m_lastError.detail.contains(u"220 bytes"_s));
        QVERIFY(QDir(m_folder->path()).mkdir(u"folder.jsonl"_s));
        QVERIFY(write(sink, "1", u"orders"_s, u"folder"_s) == SinkAnswer::Outcome::Refused);
        QVERIFY(write(sink, "1", u"orders"_s, u"good"_s) == SinkAnswer::Outcome::Accepted);

        FileSink ofAll(definition(u"folder.jsonl"_s), m_clock); // nothing else could be written either
        QVERIFY(write(ofAll, "1") == SinkAnswer::Outcome::Down);
        QVERIFY(QDir(m_folder->path()).rmdir(u"folder.jsonl"_s));
        QVERIFY(write(ofAll, "1") == SinkAnswer::Outcome::Accepted);
    }

    void aFullDiskIsASinkThatIsDownAndLeavesWholeLines()
    {
#ifdef Q_OS_LINUX
        if (!QFile::exists(u"/dev/full"_s))
            QSKIP("there is no /dev/full here");
        FileSinkDefinition full;
        full.path = *Template::parse(u"/dev/full"_s);
        FileSink sink(full, m_clock);
        QVERIFY(write(sink, "1") == SinkAnswer::Outcome::Down);
        QVERIFY(m_lastError.detail.contains(u"/dev/full"_s));
#else
        QSKIP("needs /dev/full");
#endif
    }
};

QTEST_GUILESS_MAIN(TestFileSink)

#include "test_filesink.moc"
