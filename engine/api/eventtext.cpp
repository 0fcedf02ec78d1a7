// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/api/eventtext.h"

#include "engine/delivery/envelope.h"

namespace watukuy {

namespace {

QByteArray csvField(QByteArray value)
{
    if (!value.contains(',') && !value.contains('"') && !value.contains('\n') && !value.contains('\r'))
        return value;
    return '"' + value.replace("\"", "\"\"") + '"';
}

QByteArray csvRow(const Event &event)
{
    const QList<QByteArray> fields{event.id.toHex(),
                                   QByteArray(toString(event.type).data()),
                                   event.source.toUtf8(),
                                   event.subject.toUtf8(),
                                   toRfc3339(event.time).toUtf8(),
                                   event.key.poller.toUtf8(),
                                   event.key.partition.toUtf8(),
                                   QByteArray(toString(event.lane).data()),
                                   QByteArray::number(event.sequence),
                                   event.cursor,
                                   event.data,
                                   event.previous.value_or(QByteArray())};
    QByteArray line;
    for (const QByteArray &field : fields) {
        if (!line.isEmpty())
            line += ',';
        line += csvField(field);
    }
    return line + "\r\n";
}

} // namespace

QByteArray EventText::head() const
{
    switch (m_format) {
    case ExportFormat::JsonLines:
        return {};
    case ExportFormat::Csv:
        return "id,type,source,subject,time,poller,partition,lane,sequence,cursor,data,previous\r\n";
    case ExportFormat::CloudEvents:
        return "[";
    }
    return {};
}

QByteArray EventText::row(const Event &event)
{
    const bool isFirst = std::exchange(m_first, false);
    switch (m_format) {
    case ExportFormat::JsonLines:
        return nativeEnvelope(event, 1) + '\n';
    case ExportFormat::Csv:
        return csvRow(event);
    case ExportFormat::CloudEvents:
        return (isFirst ? QByteArray("\n") : QByteArray(",\n")) + cloudEvent(event);
    }
    return {};
}

QByteArray EventText::tail() const
{
    return m_format == ExportFormat::CloudEvents ? QByteArray("\n]\n") : QByteArray();
}

} // namespace watukuy
