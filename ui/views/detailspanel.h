// SPDX-License-Identifier: GPL-3.0-or-later
// The bottom panel: everything about the selected key, tab by tab; a tab reads only while shown.
#pragma once

#include <optional>

#include <QTabWidget>

#include "engine/api/engineclient.h"
#include "ui/charts/history.h"
#include "ui/models/logmodel.h"
#include "ui/models/rowmodel.h"
#include "ui/models/wording.h"

class QLabel;
class QTableView;

namespace watukuy::ui {

class ChartsView;
class GoBackView;
class LogView;
class ParkedView;
class StateMachineView;

class DetailsPanel : public QTabWidget {
    Q_OBJECT

public:
    DetailsPanel(EngineClient *client, LogModel *log, const History *history, QWidget *parent = nullptr);

    /// The key to tell about; nothing = none is selected.
    void setKey(std::optional<KeySnapshot> key, Instant now);
    void setWording(Wording wording);
    /// The key that is told about.
    [[nodiscard]] std::optional<Key> key() const { return m_key ? std::optional(m_key->key) : std::nullopt; }
    /// Reads the shown tab again.
    void refresh();

    [[nodiscard]] StateMachineView *stateMachine() const { return m_machine; }
    [[nodiscard]] LogView *log() const { return m_log; }
    [[nodiscard]] ParkedView *parked() const { return m_parked; }
    [[nodiscard]] GoBackView *goBack() const { return m_goBack; }
    [[nodiscard]] const QList<TimelineEntry> &timeline() const { return m_timeline->rows(); }

private:
    QWidget *makeTimeline();
    QWidget *makeOutbox();
    QWidget *makeCursor();
    [[nodiscard]] QString describe(const KeySnapshot &key, Instant now) const;

    EngineClient *m_client;
    std::optional<KeySnapshot> m_key;
    Instant m_now;
    Wording m_wording;
    quint64 m_timelineRequest = 0;
    quint64 m_outboxRequest = 0;
    quint64 m_parkedRequest = 0;
    RowModel<TimelineEntry> *m_timeline;
    RowModel<OutboxRow> *m_outbox;
    StateMachineView *m_machine;
    LogView *m_log;
    ChartsView *m_charts;
    ParkedView *m_parked;
    GoBackView *m_goBack;
    QLabel *m_cursor;
};

} // namespace watukuy::ui
