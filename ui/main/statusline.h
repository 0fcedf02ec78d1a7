// SPDX-License-Identifier: GPL-3.0-or-later
// The permanent part of the status bar: is what you see alive, how much of it do you see.
#pragma once

#include <optional>

#include <QStatusBar>

#include "engine/api/engineclient.h"
#include "ui/models/wording.h"

class QLabel;

namespace watukuy::ui {

/// Never lets stale data look live: without news for three seconds it says since when.
class StatusLine : public QStatusBar {
    Q_OBJECT

public:
    explicit StatusLine(QWidget *parent = nullptr);

    void heard(Instant at);
    void setStatus(EngineClient::Status status);
    void setCounts(int selected, int shown, int all, const QString &states);
    void setFrozen(bool frozen);
    void setWording(Wording wording);
    void say(const QString &message);
    /// Repaints what depends on the time.
    void tick(Instant now);

    [[nodiscard]] QString liveText() const;
    [[nodiscard]] QString countsText() const;

private:
    QLabel *m_live;
    QLabel *m_counts;
    QLabel *m_states;
    QLabel *m_zone;
    QLabel *m_frozen;
    EngineClient::Status m_status = EngineClient::Status::Closed;
    std::optional<Instant> m_heardAt;
    Wording m_wording;
};

} // namespace watukuy::ui
