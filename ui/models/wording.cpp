// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/wording.h"

#include <QDateTime>
#include <QLocale>
#include <QTimeZone>

namespace watukuy::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 secondMs = 1000;
constexpr qint64 minuteMs = 60 * secondMs;
constexpr qint64 hourMs = 60 * minuteMs;
constexpr qint64 dayMs = 24 * hourMs;

QDateTime inZone(Instant when, Zone zone)
{
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(toEpochMs(when), QTimeZone::utc());
    return zone == Zone::Utc ? time : time.toLocalTime();
}

} // namespace

QString Wording::state(VisibleState state)
{
    switch (state) {
    case VisibleState::Idle:
        return tr("Idle");
    case VisibleState::Polling:
        return tr("Polling");
    case VisibleState::Throttled:
        return tr("Throttled");
    case VisibleState::BackingOff:
        return tr("Backing off");
    case VisibleState::CircuitOpen:
        return tr("Circuit open");
    case VisibleState::HalfOpen:
        return tr("Half-open");
    case VisibleState::Paused:
        return tr("Paused");
    }
    return {};
}

QString Wording::circuit(const KeySnapshot &key, Instant now)
{
    if (key.state == VisibleState::HalfOpen || key.schedule.circuit == Circuit::HalfOpen)
        return tr("Half-open");
    if (key.schedule.circuit == Circuit::Closed)
        return tr("Closed");
    if (key.schedule.nextDueAt <= now)
        return tr("Open, probe due");
    return tr("Open, probe in %1").arg(duration(key.schedule.nextDueAt - now));
}

QString Wording::duration(Duration duration)
{
    const qint64 ms = duration.count();
    if (ms < secondMs)
        return tr("%1 ms").arg(ms);
    if (ms < minuteMs)
        return tr("%1 s").arg(ms / secondMs);
    if (ms < hourMs) {
        const qint64 seconds = ms % minuteMs / secondMs;
        return seconds == 0 ? tr("%1 min").arg(ms / minuteMs)
                            : tr("%1 min %2 s").arg(ms / minuteMs).arg(seconds);
    }
    if (ms < dayMs) {
        const qint64 minutes = ms % hourMs / minuteMs;
        return minutes == 0 ? tr("%1 h").arg(ms / hourMs) : tr("%1 h %2 min").arg(ms / hourMs).arg(minutes);
    }
    const qint64 hours = ms % dayMs / hourMs;
    return hours == 0 ? tr("%1 d").arg(ms / dayMs) : tr("%1 d %2 h").arg(ms / dayMs).arg(hours);
}

QString Wording::relative(Instant when, Instant now)
{
    const Duration distance = when - now;
    if (distance >= Duration{secondMs})
        return tr("in %1").arg(duration(distance));
    if (distance > Duration{-secondMs})
        return tr("now");
    return tr("%1 ago").arg(duration(-distance));
}

QString Wording::absolute(Instant when) const
{
    return inZone(when, zone).toString(u"yyyy-MM-dd HH:mm:ss"_s) + u' ' + zoneName();
}

QString Wording::timeOfDay(Instant when) const
{
    return inZone(when, zone).toString(u"HH:mm:ss.zzz"_s) + u' ' + zoneName();
}

QString Wording::zoneName() const
{
    return zone == Zone::Utc ? u"UTC"_s : QDateTime::currentDateTime().timeZoneAbbreviation();
}

QString Wording::count(qint64 number)
{
    return QLocale().toString(number);
}

QString Wording::waiting(const KeySnapshot &key, Instant now) const
{
    const QString until =
        key.waitingUntil ? tr("%1 (%2)").arg(absolute(*key.waitingUntil), relative(*key.waitingUntil, now))
                         : QString();
    if (key.waitingForCode == u"running")
        return tr("A cycle is at work now.");
    if (key.waitingForCode == u"resume")
        return tr("Paused. It waits until someone resumes it.");
    if (key.waitingForCode == u"retry-after")
        return tr("Not asked again before %1: the API asked for this pause.").arg(until);
    if (key.waitingForCode == u"backoff")
        return tr("It waits until %1 after %n failure(s) in a row.", nullptr,
                  key.schedule.consecutiveFailures)
            .arg(until);
    if (key.waitingForCode == u"probe")
        return tr("The circuit is open. One probe is sent at %1; if it succeeds, polling goes on.")
            .arg(until);
    if (key.waitingForCode == u"lease")
        return tr("Another instance works on it and holds the lease until %1.").arg(until);
    if (key.waitingForCode == u"budget")
        return tr("Its budget has nothing left. It goes on by %1.").arg(until);
    if (key.waitingForCode == u"window")
        return tr("Its active windows keep it quiet until %1.").arg(until);
    if (key.waitingForCode == u"enabled")
        return tr("The workspace has switched this poller off.");
    if (key.waitingForCode == u"delivery")
        return tr("Its events wait for a sink that takes them; it is asked again %1.").arg(until);
    if (key.waitingForCode == u"delivery-retry")
        return tr("The next delivery is tried at %1.").arg(until);
    return until.isEmpty() ? tr("It is due now.") : tr("The next poll is due %1.").arg(until);
}

QString Wording::lease(const KeySnapshot &key)
{
    if (!key.lease)
        return tr("Free");
    return key.leasedElsewhere ? tr("Held by %1").arg(key.lease->owner) : tr("Held here");
}

QString Wording::cause(const QString &code)
{
    static const QHash<QString, const char *> words{
        {u"due"_s, QT_TR_NOOP("It was due")},
        {u"manual"_s, QT_TR_NOOP("Triggered by hand")},
        {u"speed-up"_s, QT_TR_NOOP("Changes found, polling faster")},
        {u"back-off"_s, QT_TR_NOOP("Nothing new, polling slower")},
        {u"not-modified"_s, QT_TR_NOOP("Not modified")},
        {u"fixed"_s, QT_TR_NOOP("Fixed interval")},
        {u"catch-up"_s, QT_TR_NOOP("More pages wait")},
        {u"paced"_s, QT_TR_NOOP("Paced by the rate limit")},
        {u"throttled"_s, QT_TR_NOOP("The API asked to wait")},
        {u"backoff"_s, QT_TR_NOOP("Failed, waits before the next try")},
        {u"circuit-open"_s, QT_TR_NOOP("Failed too often, circuit opened")},
        {u"probe-failed"_s, QT_TR_NOOP("The probe failed")},
        {u"probe-succeeded"_s, QT_TR_NOOP("The probe succeeded")},
        {u"resumed"_s, QT_TR_NOOP("Resumed")},
        {u"pause"_s, QT_TR_NOOP("Paused")},
        {u"resume"_s, QT_TR_NOOP("Resumed")},
        {u"reconcile"_s, QT_TR_NOOP("Compared with the whole listing")},
    };
    const auto found = words.constFind(code);
    return found == words.constEnd() ? code : tr(*found);
}

} // namespace watukuy::ui
