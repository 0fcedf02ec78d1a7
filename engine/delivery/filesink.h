// SPDX-License-Identifier: GPL-3.0-or-later
// The `file` sink: JSON Lines that never hold a torn line, rotated by size and day (spec-engine 8).
#pragma once

#include <map>
#include <memory>

#include <QFile>

#include "engine/delivery/sink.h"

namespace watukuy {

/// Appends one line per event. A line is one write; a line that a crash or a full disk cut short is
/// removed before the next one is written (its event was never acked, so it comes again). A file that
/// somebody deleted or moved away is made again. Files are 0600, folders it makes 0700. Several
/// processes may append to one file. A file that holds something other than events is left alone.
class FileSink final : public Sink {
public:
    FileSink(FileSinkDefinition definition, const Clock &clock);
    ~FileSink() override;

    QCoro::Task<SinkAnswer> deliver(Delivery delivery) override;
    QCoro::Task<Result<void>> flush() override;

private:
    struct OpenFile {
        QFile file;
        QString day; ///< UTC date of the last line, for rotation by day
        bool unsynced = false;
    };

    Result<void> write(const QString &path, const QByteArray &line);
    SinkAnswer misnamed(const QString &path, const QString &problem) const;
    Result<QString> pathOf(const Event &event) const;
    void closeWhatMovedAway(const QString &path);
    Result<OpenFile *> opened(const QString &path);
    Result<void> append(OpenFile &open, const QByteArray &line);
    Result<void> rotateIfNeeded(const QString &path, qsizetype lineSize);
    void removeOldest(const QString &path) const;
    static Result<void> removeTornLine(QFile &file);
    static Result<void> syncToDisk(OpenFile &open);

    FileSinkDefinition m_definition;
    const Clock &m_clock;
    std::map<QString, std::unique_ptr<OpenFile>> m_files;
    Duration m_lastSync{0};
};

} // namespace watukuy
