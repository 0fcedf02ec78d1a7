// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <QCoroTask>

#include "engine/definition/keychain.h"
#include "engine/definition/secrets.h"
#include "engine/definition/workspace.h"

using namespace watukuy;
using namespace Qt::StringLiterals;

namespace {

const QString bullets = u"••••"_s;

void write(const QString &path, const QByteArray &content)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("%s cannot be written", qPrintable(path));
}

} // namespace

class TestSecrets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_folder.isValid()); }
    void referencesAreKnownByTheirKind();
    void anEnvironmentVariableIsRead();
    void aMissingVariableIsNamedWithTheNextStep();
    void aFileIsReadWithoutItsLastLineEnd_data();
    void aFileIsReadWithoutItsLastLineEnd();
    void aMissingFileIsNamedWithTheNextStep();
    void aFolderIsNoSecret();
    void aHugeFileIsNoSecret();
    void aKeychainEntryThatNobodyProvidedSaysHowToAddIt();
    void aProvidedEntryIsResolved();
    void everySpellingOfAValueIsRedacted();
    void shortValuesAreNotRedacted();
    void aValueInsideALongerOneLeavesNothingReadable();
    void everyReferenceOfAWorkspaceIsFound();
    void withoutAKeychainTheErrorNamesEntryAndCause();
    void nothingIsAskedOfTheKeychainWithoutNeed();

private:
    QTemporaryDir m_folder;
};

void TestSecrets::referencesAreKnownByTheirKind()
{
    QVERIFY(Secrets::isReference(u"keychain:a"));
    QVERIFY(Secrets::isReference(u"env:A"));
    QVERIFY(Secrets::isReference(u"file:a"));
    QVERIFY(!Secrets::isReference(u"environment:A"));
    QVERIFY(!Secrets::isReference(u"cursor.value"));
}

void TestSecrets::anEnvironmentVariableIsRead()
{
    qputenv("WATUKUY_TEST_SECRET", "grün!");
    Secrets secrets(m_folder.path());
    QCOMPARE(secrets.resolve(u"env:WATUKUY_TEST_SECRET"_s).value(), u"grün!"_s);
    qunsetenv("WATUKUY_TEST_SECRET");
}

void TestSecrets::aMissingVariableIsNamedWithTheNextStep()
{
    Secrets secrets(m_folder.path());
    const auto value = secrets.resolve(u"env:WATUKUY_NO_SUCH"_s);
    QVERIFY(!value);
    QCOMPARE(value.error().kind, ErrorKind::Secret);
    QVERIFY(value.error().detail.contains(u"WATUKUY_NO_SUCH"));
    QVERIFY(!value.error().nextStep.isEmpty());
}

void TestSecrets::aFileIsReadWithoutItsLastLineEnd_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("expected");
    QTest::newRow("no line end") << QByteArray("abc") << u"abc"_s;
    QTest::newRow("line feed") << QByteArray("abc\n") << u"abc"_s;
    QTest::newRow("carriage return and line feed") << QByteArray("abc\r\n") << u"abc"_s;
    QTest::newRow("one of two") << QByteArray("abc\n\n") << u"abc\n"_s;
    QTest::newRow("spaces stay") << QByteArray(" abc \n") << u" abc "_s;
    QTest::newRow("a carriage return alone stays") << QByteArray("abc\r") << u"abc\r"_s;
}

void TestSecrets::aFileIsReadWithoutItsLastLineEnd()
{
    QFETCH(QByteArray, content);
    QFETCH(QString, expected);
    write(m_folder.filePath(u"token"_s), content);
    Secrets secrets(m_folder.path());
    QCOMPARE(secrets.resolve(u"file:token"_s).value(), expected);
    Secrets elsewhere(u"/"_s);
    QCOMPARE(elsewhere.resolve(u"file:"_s + m_folder.filePath(u"token"_s)).value(), expected);
}

void TestSecrets::aMissingFileIsNamedWithTheNextStep()
{
    Secrets secrets(m_folder.path());
    const auto value = secrets.resolve(u"file:none"_s);
    QVERIFY(!value);
    QCOMPARE(value.error().kind, ErrorKind::Secret);
    QVERIFY(value.error().detail.contains(m_folder.filePath(u"none"_s)));
    QVERIFY(value.error().nextStep.contains(u"0600"));
}

void TestSecrets::aFolderIsNoSecret()
{
    Secrets secrets(m_folder.path());
    const auto value = secrets.resolve(u"file:."_s);
    QVERIFY(!value);
    QVERIFY(value.error().detail.contains(u"folder"));
}

void TestSecrets::aHugeFileIsNoSecret()
{
    write(m_folder.filePath(u"huge"_s), QByteArray(1024 * 1024 + 1, 'x'));
    Secrets secrets(m_folder.path());
    const auto value = secrets.resolve(u"file:huge"_s);
    QVERIFY(!value);
    QVERIFY(value.error().detail.contains(u"1 MB"));
}

void TestSecrets::aKeychainEntryThatNobodyProvidedSaysHowToAddIt()
{
    Secrets secrets(m_folder.path());
    const auto value = secrets.resolve(u"keychain:erp-token"_s);
    QVERIFY(!value);
    QCOMPARE(value.error().kind, ErrorKind::Secret);
    QVERIFY(value.error().title.contains(u"erp-token"));
    QVERIFY(value.error().nextStep.contains(u"erp-token"));
}

void TestSecrets::aProvidedEntryIsResolved()
{
    Secrets secrets(m_folder.path());
    secrets.provide(u"keychain:a"_s, u"value"_s);
    QCOMPARE(secrets.resolve(u"keychain:a"_s).value(), u"value"_s);
    secrets.provide(u"keychain:a"_s, u"rotated"_s);
    QCOMPARE(secrets.resolve(u"keychain:a"_s).value(), u"rotated"_s);
}

void TestSecrets::everySpellingOfAValueIsRedacted()
{
    const QString value = u"p/ss \"wörd\"?"_s;
    Secrets secrets(m_folder.path());
    secrets.provide(u"keychain:a"_s, value);
    const QByteArray utf8 = value.toUtf8();
    for (const QString &spelling :
         {value, QString::fromLatin1(QUrl::toPercentEncoding(value)), QString::fromLatin1(utf8.toBase64()),
          QString::fromLatin1(utf8.toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals)),
          u"p/ss \\\"wörd\\\"?"_s}) {
        const QString text = secrets.redact(u"before "_s + spelling + u" after"_s);
        QVERIFY2(text.startsWith(u"before "_s + bullets) && text.endsWith(u" after"), qPrintable(text));
        QVERIFY2(!text.contains(spelling), qPrintable(text));
    }
    QCOMPARE(secrets.redact(u"nothing to hide"_s), u"nothing to hide"_s);
}

void TestSecrets::shortValuesAreNotRedacted()
{
    Secrets secrets(m_folder.path());
    secrets.provide(u"keychain:a"_s, u"abc"_s);
    secrets.provide(u"keychain:b"_s, u""_s);
    QCOMPARE(secrets.redact(u"abcdef"_s), u"abcdef"_s);
    secrets.provide(u"keychain:c"_s, u"abcd"_s);
    QCOMPARE(secrets.redact(u"abcdef"_s), bullets + u"ef"_s);
}

void TestSecrets::aValueInsideALongerOneLeavesNothingReadable()
{
    for (int round = 0; round < 20; ++round) { // the order of a hash differs from one to the next
        Secrets secrets(m_folder.path());
        secrets.provide(u"keychain:%1"_s.arg(round), u"abcd"_s);
        secrets.provide(u"keychain:x%1"_s.arg(round), u"abcd-efgh"_s);
        QCOMPARE(secrets.redact(u"[abcd-efgh]"_s), u"["_s + bullets + u"]"_s);
    }
}

void TestSecrets::everyReferenceOfAWorkspaceIsFound()
{
    const auto workspace =
        loadWorkspace(QStringLiteral(WATUKUY_SOURCE_DIR "/tests/unit/data/everything.watukuy.json"));
    QVERIFY(workspace.has_value());
    QStringList references = secretReferences(*workspace);
    references.sort();
    const QStringList expected{
        u"env:DB_PASSWORD"_s, u"env:HOOK"_s,      u"env:KAFKA"_s,          u"env:KEY"_s,
        u"env:PROXY"_s,       u"env:REDIS"_s,     u"file:secrets/basic"_s, u"file:secrets/refresh"_s,
        u"keychain:client"_s, u"keychain:hook"_s, u"keychain:signing"_s,   u"keychain:token"_s};
    QCOMPARE(references, expected);
}

void TestSecrets::withoutAKeychainTheErrorNamesEntryAndCause()
{
    const QByteArray bus = qgetenv("DBUS_SESSION_BUS_ADDRESS");
    qunsetenv("DBUS_SESSION_BUS_ADDRESS");
    qputenv("XDG_RUNTIME_DIR", m_folder.path().toUtf8());
    Secrets secrets(m_folder.path());
    const auto read = QCoro::waitFor(readKeychain(&secrets, {u"env:A"_s, u"keychain:watukuy-test-entry"_s}));
    if (!bus.isNull())
        qputenv("DBUS_SESSION_BUS_ADDRESS", bus);
    QVERIFY(!read);
    QCOMPARE(read.error().kind, ErrorKind::Secret);
    QVERIFY(read.error().title.contains(u"keychain:watukuy-test-entry"));
    QVERIFY(!read.error().detail.isEmpty());
    QVERIFY(read.error().nextStep.contains(u"watukuy-test-entry"));
}

void TestSecrets::nothingIsAskedOfTheKeychainWithoutNeed()
{
    Secrets secrets(m_folder.path());
    QVERIFY(QCoro::waitFor(readKeychain(&secrets, {u"env:A"_s, u"file:b"_s})).has_value());
}

QTEST_GUILESS_MAIN(TestSecrets)
#include "test_secrets.moc"
