// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/delivery/envelope.h"

#include <QRegularExpression>

#include "engine/json/objectwriter.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

/// Raw line breaks cannot stand inside a JSON string, so each one met is between tokens.
QByteArray onOneLine(QByteArray raw)
{
    if (raw.contains('\n') || raw.contains('\r'))
        raw.replace('\n', ' ').replace('\r', ' ');
    return raw;
}

constexpr qsizetype envelopeOverhead = 512;

} // namespace

QByteArray nativeEnvelope(const Event &event, int attempt)
{
    json::ObjectWriter out(event.data.size() + envelopeOverhead);
    out.raw("id", '"' + event.id.toHex() + '"');
    out.latin1("type", toString(event.type));
    out.text("source", event.source);
    out.text("subject", event.subject);
    out.text("time", toRfc3339(event.time));
    out.text("poller", event.key.poller);
    out.text("partition", event.key.partition);
    out.latin1("lane", toString(event.lane));
    out.number("sequence", event.sequence);
    out.rawOrNull("cursor", event.cursor);
    out.rawOrNull("data", onOneLine(event.data));
    if (event.previous)
        out.rawOrNull("previous", onOneLine(*event.previous));
    out.number("attempt", attempt);
    return out.finish();
}

QByteArray cloudEvent(const Event &event)
{
    json::ObjectWriter out(event.data.size() + envelopeOverhead);
    out.raw("specversion", "\"1.0\"");
    out.raw("id", '"' + event.id.toHex() + '"');
    out.text("type", event.key.poller + u'.' + toString(event.type));
    out.text("source", event.source);
    out.text("subject", event.subject);
    out.text("time", toRfc3339(event.time));
    out.raw("datacontenttype", "\"application/json\"");
    out.text("watukuypoller", event.key.poller);
    if (!event.key.partition.isEmpty())
        out.text("watukuypartition", event.key.partition);
    out.latin1("watukuylane", toString(event.lane));
    out.text("watukuysequence", QString::number(event.sequence));
    if (event.previous)
        out.text("watukuyprevious", QString::fromUtf8(onOneLine(*event.previous)));
    out.rawOrNull("data", onOneLine(event.data));
    return out.finish();
}

bool beginsWithEnvelope(const QByteArray &beginning)
{
    static const QRegularExpression envelope(
        uR"re(^\{"(specversion":"1\.0","id|id)":"[0-9a-f]{32,}","type":")re"_s);
    const auto match =
        envelope.match(QString::fromLatin1(beginning), 0, QRegularExpression::PartialPreferCompleteMatch);
    return match.hasMatch() || match.hasPartialMatch();
}

QByteArray envelopeOf(const Event &event, int attempt, EventFormat format)
{
    return format == EventFormat::Native ? nativeEnvelope(event, attempt) : cloudEvent(event);
}

} // namespace watukuy
