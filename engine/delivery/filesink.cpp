// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/delivery/filesink.h"

#include <QDir>
#include <QFileInfo>

#include "engine/delivery/envelope.h"

#ifdef Q_OS_UNIX
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#ifdef Q_OS_WIN
#include <io.h>
#endif

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t mostOpenFiles = 64;
constexpr Duration syncInterval = std::chrono::seconds{1};
constexpr auto ownerOnly = QFile::ReadOwner | QFile::WriteOwner;
constexpr auto ownerOnlyFolder = ownerOnly | QFile::ExeOwner;

Error fileError(const QString &path, const QString &what, const QString &why)
{
    return {.kind = ErrorKind::Sink,
            .name = u"FileSinkError"_s,
            .title = u"The event file could not be %1"_s.arg(what),
            .detail = u"%1: %2"_s.arg(path, why),
            .nextStep =
                u"Make the folder writable or free some space; the events wait and are written then."_s,
            .retryable = true};
}

/// Keeps other processes from appending while a line is written or a torn one is removed.
class AppendLock {
public:
    explicit AppendLock(QFile &file)
        : m_file(file)
    {
#ifdef Q_OS_UNIX
        ::flock(m_file.handle(), LOCK_EX);
#endif
    }
    ~AppendLock()
    {
#ifdef Q_OS_UNIX
        ::flock(m_file.handle(), LOCK_UN);
#endif
    }
    Q_DISABLE_COPY_MOVE(AppendLock)

private:
    QFile &m_file;
};

/// False when somebody deleted the open file or moved it away, as logrotate does.
bool isStillAt([[maybe_unused]] const QFile &file, const QString &path)
{
#ifdef Q_OS_UNIX
    struct stat open = {};
    struct stat named = {};
    return ::fstat(file.handle(), &open) == 0 && ::stat(QFile::encodeName(path).constData(), &named) == 0 &&
           open.st_ino == named.st_ino && open.st_dev == named.st_dev;
#else
    return QFile::exists(path);
#endif
}

QString safeInFileName(const QString &text)
{
    QString name = text;
    for (QChar &character : name) {
        if (u"/\\:*?\"<>|"_s.contains(character) || character < u' ')
            character = u'_';
    }
    return name == u"."_s || name == u".."_s ? u"_"_s : name;
}

/// Whatever way a path leads to a secret, a database or somebody's notes: they are not appended to.
bool holdsOtherThanEvents(const QString &path)
{
    constexpr qint64 longEnough = 128;
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly))
        return false;
    const QByteArray beginning = file.read(longEnough);
    return !beginning.isEmpty() && !beginsWithEnvelope(beginning);
}

/// Why no file can ever be written there, whatever the disk; empty when one can.
QString namingProblem(const QString &path)
{
    constexpr qsizetype longestName = 220; // bytes: 255, less the time in the name of a rotated file
    if (QFileInfo(path).isDir())
        return u"it is a folder"_s;
    if (holdsOtherThanEvents(path))
        return u"it holds something other than events, and was left as it is"_s;
    for (const QString &name : path.split(u'/')) {
        if (QFile::encodeName(name).size() > longestName)
            return u"\"%1…\" has more than %2 bytes"_s.arg(name.left(20)).arg(longestName);
    }
    return {};
}

QString dayOf(Instant instant)
{
    return toRfc3339(instant).left(10);
}

Result<void> makeFolder(const QString &folder)
{
    if (QFileInfo(folder).isDir())
        return {};
    const QString parent = QFileInfo(folder).absolutePath();
    if (parent != folder) {
        if (auto made = makeFolder(parent); !made)
            return made;
    }
    if (!QDir().mkdir(folder, ownerOnlyFolder) && !QFileInfo(folder).isDir())
        return fail(fileError(folder, u"created"_s, u"its folder cannot be made"_s));
    return {};
}

} // namespace

FileSink::FileSink(FileSinkDefinition definition, const Clock &clock)
    : m_definition(std::move(definition))
    , m_clock(clock)
    , m_lastSync(clock.steady())
{
}

FileSink::~FileSink() = default;

Result<QString> FileSink::pathOf(const Event &event) const
{
    const auto path = m_definition.path.expand([&](const QString &name) -> Result<std::optional<QString>> {
        if (name == u"poller")
            return safeInFileName(event.key.poller);
        if (name == u"partition")
            return safeInFileName(event.key.partition);
        if (name == u"date")
            return dayOf(m_clock.now());
        return fail(
            fileError(m_definition.path.text(), u"named"_s, u"unknown placeholder ${%1}"_s.arg(name)));
    });
    if (!path)
        return fail(path.error());
    return path->value_or(QString());
}

/// A name that cannot be written is the event's own fault when others of this sink have other names.
SinkAnswer FileSink::misnamed(const QString &path, const QString &problem) const
{
    const bool isSharedName = !m_definition.path.uses(u"poller") && !m_definition.path.uses(u"partition");
    Error error = fileError(path, u"named"_s, problem);
    error.nextStep = isSharedName ? u"Correct the sink's path; the events wait and are written then."_s
                                  : u"Correct the sink's path, then retry what is parked."_s;
    return {isSharedName ? SinkAnswer::Outcome::Down : SinkAnswer::Outcome::Refused, std::move(error), {}};
}

void FileSink::closeWhatMovedAway(const QString &path)
{
    if (const auto found = m_files.find(path);
        found != m_files.end() && !isStillAt(found->second->file, path))
        m_files.erase(found);
}

Result<FileSink::OpenFile *> FileSink::opened(const QString &path)
{
    if (const auto found = m_files.find(path); found != m_files.end())
        return found->second.get();
    if (auto folder = makeFolder(QFileInfo(path).absolutePath()); !folder)
        return fail(folder.error());
    if (m_files.size() >= mostOpenFiles) {
        if (auto flushed = syncToDisk(*m_files.begin()->second); !flushed)
            return fail(flushed.error());
        m_files.erase(m_files.begin());
    }
    auto open = std::make_unique<OpenFile>();
    open->file.setFileName(path);
    if (!open->file.open(QIODevice::ReadWrite | QIODevice::Append | QIODevice::Unbuffered))
        return fail(fileError(path, u"opened"_s, open->file.errorString()));
    open->file.setPermissions(ownerOnly);
    const AppendLock lock(open->file);
    if (auto repaired = removeTornLine(open->file); !repaired)
        return fail(repaired.error());
    open->day = open->file.size() > 0 ? QFileInfo(path).lastModified().toUTC().date().toString(Qt::ISODate)
                                      : dayOf(m_clock.now());
    return m_files.emplace(path, std::move(open)).first->second.get();
}

Result<void> FileSink::removeTornLine(QFile &file)
{
    constexpr qint64 step = 65536;
    qint64 end = file.size();
    if (end == 0 || file.isSequential())
        return {};
    file.seek(end - 1);
    if (file.read(1) == "\n")
        return {};
    qint64 keep = 0;
    while (end > 0 && keep == 0) {
        const qint64 start = std::max<qint64>(0, end - step);
        file.seek(start);
        const qsizetype lineEnd = file.read(end - start).lastIndexOf('\n');
        if (lineEnd >= 0)
            keep = start + lineEnd + 1;
        end = start;
    }
    if (!file.resize(keep))
        return fail(fileError(file.fileName(), u"repaired"_s, file.errorString()));
    return {};
}

Result<void> FileSink::append(OpenFile &open, const QByteArray &line)
{
    const AppendLock lock(open.file);
    if (auto repaired = removeTornLine(open.file); !repaired) // of another process that was killed
        return repaired;
    const qint64 before = open.file.size();
    if (open.file.write(line) == line.size()) {
        open.unsynced = true;
        return {};
    }
    const QString why = open.file.errorString();
    open.file.resize(before);
    return fail(fileError(open.file.fileName(), u"written"_s, why));
}

Result<void> FileSink::rotateIfNeeded(const QString &path, qsizetype lineSize)
{
    const auto found = m_files.find(path);
    if (found == m_files.end())
        return {};
    OpenFile &open = *found->second;
    const qint64 size = open.file.size();
    const QString today = dayOf(m_clock.now());
    const bool tooLarge = m_definition.rotateSize && size > 0 && size + lineSize > *m_definition.rotateSize;
    const bool newDay = m_definition.rotateDaily && size > 0 && open.day != today;
    open.day = today;
    if (!tooLarge && !newDay)
        return {};
    if (auto synced = syncToDisk(open); !synced)
        return synced;
    m_files.erase(found);
    const QFileInfo info(path);
    const QString stamp = toRfc3339(m_clock.now()).remove(u'-').remove(u':');
    QString target;
    for (int number = 0; target.isEmpty() || QFile::exists(target); ++number) {
        target = u"%1/%2.%3-%4%5"_s.arg(info.absolutePath(), info.completeBaseName(), stamp)
                     .arg(number, 4, 10, QChar(u'0'))
                     .arg(info.suffix().isEmpty() ? QString() : u'.' + info.suffix());
    }
    if (!QFile::rename(path, target))
        return fail(fileError(path, u"rotated"_s, u"it cannot be renamed to %1"_s.arg(target)));
    removeOldest(path);
    return {};
}

void FileSink::removeOldest(const QString &path) const
{
    if (m_definition.keep <= 0)
        return;
    const QFileInfo info(path);
    const QString suffix = info.suffix().isEmpty() ? QString() : u'.' + info.suffix();
    QDir folder(info.absolutePath());
    const QStringList rotated =
        folder.entryList({info.completeBaseName() + u".*T*Z-*"_s + suffix}, QDir::Files, QDir::Name);
    for (qsizetype index = 0; index + m_definition.keep < rotated.size(); ++index)
        folder.remove(rotated.at(index));
}

Result<void> FileSink::syncToDisk(OpenFile &open)
{
    if (!open.unsynced)
        return {};
#ifdef Q_OS_UNIX
    const bool synced = ::fsync(open.file.handle()) == 0;
#elif defined(Q_OS_WIN)
    const bool synced = _commit(open.file.handle()) == 0;
#endif
    if (!synced)
        return fail(fileError(open.file.fileName(), u"synced to disk"_s, qt_error_string()));
    open.unsynced = false;
    return {};
}

Result<void> FileSink::write(const QString &path, const QByteArray &line)
{
    if (auto rotated = rotateIfNeeded(path, line.size()); !rotated)
        return rotated;
    const auto open = opened(path);
    if (!open)
        return fail(open.error());
    return append(**open, line);
}

QCoro::Task<SinkAnswer> FileSink::deliver(Delivery delivery)
{
    const auto path = pathOf(delivery.event);
    if (!path)
        co_return SinkAnswer{SinkAnswer::Outcome::Down, path.error(), {}};
    closeWhatMovedAway(*path);
    const QString problem = m_files.contains(*path) ? QString() : namingProblem(*path);
    if (!problem.isEmpty())
        co_return misnamed(*path, problem);
    if (const auto written = write(*path, delivery.envelope + '\n'); !written)
        co_return SinkAnswer{SinkAnswer::Outcome::Down, written.error(), {}};
    co_return SinkAnswer{};
}

QCoro::Task<Result<void>> FileSink::flush()
{
    if (m_definition.fsync == FsyncPolicy::Never)
        co_return Result<void>{};
    if (m_definition.fsync == FsyncPolicy::Interval && m_clock.steady() - m_lastSync < syncInterval)
        co_return Result<void>{};
    m_lastSync = m_clock.steady();
    for (const auto &[path, open] : m_files) {
        if (auto synced = syncToDisk(*open); !synced)
            co_return synced;
    }
    co_return Result<void>{};
}

} // namespace watukuy
