// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/detailspanel.h"

#include <QLabel>
#include <QScrollArea>
#include <QTableView>

#include "ui/charts/chartsview.h"
#include "ui/views/gobackview.h"
#include "ui/views/logview.h"
#include "ui/views/parkedview.h"
#include "ui/views/statemachineview.h"
#include "ui/views/table.h"

namespace watukuy::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int timelineLength = 200;
constexpr int outboxLength = 500;
constexpr int parkedLength = 1000;

QString row(const QString &name, const QString &value)
{
    return u"<tr><td style='padding:2px 18px 2px 0' align='right'><b>%1</b></td><td style='padding:2px 0'>%2</td></tr>"_s
        .arg(name, value);
}

} // namespace

DetailsPanel::DetailsPanel(EngineClient *client, LogModel *log, const History *history, QWidget *parent)
    : QTabWidget(parent)
    , m_client(client)
    , m_machine(new StateMachineView)
    , m_log(new LogView(log))
    , m_charts(new ChartsView(history))
    , m_parked(new ParkedView)
    , m_goBack(new GoBackView(client))
{
    setDocumentMode(true);
    setAccessibleName(tr("About the selected key"));
    addTab(makeTimeline(), tr("Timeline"));
    addTab(m_machine, tr("State machine"));
    addTab(m_log, tr("Log"));
    addTab(m_charts, tr("Charts"));
    addTab(makeOutbox(), tr("Outbox"));
    addTab(m_parked, tr("Parked"));
    addTab(m_goBack, tr("Replay and backfill"));
    addTab(makeCursor(), tr("Cursor and lease"));
    setCurrentWidget(m_log); // the one tab that tells something before a key is selected
    connect(this, &QTabWidget::currentChanged, this, &DetailsPanel::refresh);
    connect(client, &EngineClient::timelineRead, this,
            [this](quint64 request, const Key &, const QList<TimelineEntry> &entries) {
                if (request != m_timelineRequest)
                    return;
                m_timeline->replace(entries);
                m_machine->setTransitions(entries);
            });
    connect(client, &EngineClient::outboxRead, this,
            [this](quint64 request, const Key &, const QList<OutboxRow> &rows) {
                if (request == m_outboxRequest)
                    m_outbox->replace(rows);
            });
    connect(client, &EngineClient::parkedRead, this,
            [this](quint64 request, const Key &, const QList<ParkedRow> &rows) {
                if (request == m_parkedRequest)
                    m_parked->show(rows);
            });
}

QWidget *DetailsPanel::makeTimeline()
{
    using Column = RowModel<TimelineEntry>::Column;
    m_timeline = new RowModel<TimelineEntry>(
        {Column{tr("Time"), [this](const TimelineEntry &entry) { return m_wording.absolute(entry.at); }},
         Column{tr("From"), [](const TimelineEntry &entry) { return Wording::state(entry.from); }},
         Column{tr("To"), [](const TimelineEntry &entry) { return Wording::state(entry.to); }},
         Column{tr("Cause"), [](const TimelineEntry &entry) { return Wording::cause(entry.cause); }},
         Column{tr("Took"),
                [](const TimelineEntry &entry) {
                    return entry.took > Duration::zero() ? Wording::duration(entry.took) : u"–"_s;
                },
                true},
         Column{tr("Detail"), [](const TimelineEntry &entry) { return entry.detail; }}},
        this);
    return makeTable(m_timeline, {24, 13, 13, 32, 10}, tr("Timeline"), this);
}

QWidget *DetailsPanel::makeOutbox()
{
    using Column = RowModel<OutboxRow>::Column;
    m_outbox = new RowModel<OutboxRow>(
        {Column{tr("Number"), [](const OutboxRow &entry) { return Wording::count(entry.event.sequence); },
                true},
         Column{tr("Type"), [](const OutboxRow &entry) { return QString(toString(entry.event.type)); }},
         Column{tr("Item"), [](const OutboxRow &entry) { return entry.event.subject; }},
         Column{tr("Observed"),
                [this](const OutboxRow &entry) { return m_wording.absolute(entry.event.time); }},
         Column{tr("Attempts"), [](const OutboxRow &entry) { return QString::number(entry.attempts); }, true},
         Column{tr("Not before"),
                [this](const OutboxRow &entry) {
                    return entry.notBefore ? m_wording.absolute(*entry.notBefore) : tr("may go now");
                }}},
        this);
    return makeTable(m_outbox, {10, 10, 30, 26, 10}, tr("Outbox"), this);
}

QWidget *DetailsPanel::makeCursor()
{
    m_cursor = new QLabel;
    m_cursor->setTextFormat(Qt::RichText);
    m_cursor->setWordWrap(true);
    m_cursor->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_cursor->setMargin(12);
    m_cursor->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_cursor->setAccessibleName(tr("Cursor and lease"));
    auto *area = new QScrollArea(this);
    area->setWidget(m_cursor);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    return area;
}

void DetailsPanel::setKey(std::optional<KeySnapshot> key, Instant now)
{
    const bool sameKey = key && m_key && key->key == m_key->key;
    const bool changed = key != m_key;
    if (!sameKey) {
        m_timeline->replace({});
        m_outbox->replace({});
        m_parked->show({});
        m_machine->setTransitions({});
    }
    m_key = std::move(key);
    m_now = now;
    m_goBack->setKey(m_key, now);
    m_machine->setState(m_key ? std::optional(m_key->state) : std::nullopt, now);
    m_cursor->setText(m_key ? describe(*m_key, now) : tr("Select a key in the list."));
    setTabText(indexOf(m_parked), m_key && m_key->counts.parked > 0
                                      ? tr("Parked (%1)").arg(Wording::count(m_key->counts.parked))
                                      : tr("Parked"));
    if (changed || !sameKey)
        refresh();
}

void DetailsPanel::setWording(Wording wording)
{
    m_wording = wording;
    m_parked->setWording(wording);
    m_charts->setWording(wording);
    m_goBack->setWording(wording);
    m_timeline->replace({});
    m_outbox->replace({});
    refresh();
}

void DetailsPanel::refresh()
{
    if (!m_key || !isVisible())
        return;
    const QString shown = tabText(currentIndex());
    if (currentWidget() == m_charts)
        m_charts->show(m_key->key, m_now);
    else if (currentWidget() == m_parked)
        m_parkedRequest = m_client->readParked(m_key->key, parkedLength);
    else if (shown == tr("Outbox"))
        m_outboxRequest = m_client->readOutbox(m_key->key, outboxLength);
    else if (shown == tr("Timeline") || currentWidget() == m_machine)
        m_timelineRequest = m_client->readTimeline(m_key->key, timelineLength);
}

QString DetailsPanel::describe(const KeySnapshot &key, Instant now) const
{
    QString text = u"<table>"_s;
    text += row(tr("Key"), key.key.toString().toHtmlEscaped());
    text += row(tr("Waits for"), m_wording.waiting(key, now).toHtmlEscaped());
    text += row(tr("Circuit"), Wording::circuit(key, now));
    if (const auto &error = key.schedule.lastError) {
        text += row(tr("Last error"), error->oneLine().toHtmlEscaped());
        if (!error->nextStep.isEmpty())
            text += row(tr("What to do"), error->nextStep.toHtmlEscaped());
    }
    for (const Warning &warning : key.warnings)
        text += row(tr("Note"), tr("%1 (see “%2”)").arg(warning.message, warning.key).toHtmlEscaped());
    text += row(tr("Cursor"), key.liveCursor.isEmpty() ? tr("at the beginning")
                                                       : QString::fromUtf8(key.liveCursor).toHtmlEscaped());
    text += row(tr("Interval"), Wording::duration(key.schedule.interval));
    if (const auto &limit = key.schedule.rateLimit; limit && limit->remaining)
        text += row(tr("Rate limit"),
                    tr("%1 requests left of %2")
                        .arg(Wording::count(*limit->remaining), Wording::count(limit->limit.value_or(0))));
    if (const auto &poll = key.schedule.lastPoll)
        text += row(tr("Last cycle"),
                    tr("%1: %2 items on %3 pages in %4; %5 created, %6 updated, %7 deleted")
                        .arg(m_wording.absolute(poll->startedAt), Wording::count(poll->items),
                             Wording::count(poll->pages), Wording::duration(poll->took),
                             Wording::count(poll->events.created), Wording::count(poll->events.updated),
                             Wording::count(poll->events.deleted)));
    text += row(tr("Items known"), Wording::count(key.counts.items));
    text += row(tr("Lease"), key.lease ? tr("%1, number %2, until %3")
                                             .arg(key.lease->owner)
                                             .arg(key.lease->epoch)
                                             .arg(m_wording.absolute(key.lease->expiresAt))
                                             .toHtmlEscaped()
                                       : tr("Free"));
    return text + u"</table>"_s;
}

} // namespace watukuy::ui
