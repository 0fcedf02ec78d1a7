// SPDX-License-Identifier: GPL-3.0-or-later
// Replay and backfill of the selected key: asked, previewed, then confirmed.
#pragma once

#include <optional>

#include <QWidget>

#include "engine/api/engineclient.h"
#include "ui/models/wording.h"

class QCheckBox;
class QDateTimeEdit;
class QGroupBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace watukuy::ui {

/// A wish is sent as a dry run first; what it would do is shown, and only then it can be confirmed.
class GoBackView : public QWidget {
    Q_OBJECT

public:
    explicit GoBackView(EngineClient *client, QWidget *parent = nullptr);

    void setKey(const std::optional<KeySnapshot> &key, Instant now);
    void setWording(Wording wording);

Q_SIGNALS:
    /// The operator has seen the preview and wants it.
    void wanted(const watukuy::Key &key, const watukuy::GoBackWish &wish, const QString &preview);

private:
    QGroupBox *makeBackfill();
    QGroupBox *makeReplay();
    void preview(const GoBackWish &wish);
    void showPreview(quint64 request, const ActionResult &result);
    void forget();
    void showState();
    [[nodiscard]] BackfillWish backfillWish() const;
    [[nodiscard]] ReplayWish replayWish() const;

    EngineClient *m_client;
    std::optional<KeySnapshot> m_key;
    Wording m_wording;
    std::optional<GoBackWish> m_wish; ///< as it was previewed
    quint64 m_request = 0;
    QLineEdit *m_from;
    QLineEdit *m_to;
    QCheckBox *m_force;
    QPushButton *m_previewBackfill;
    QPushButton *m_cancel;
    QLabel *m_state;
    QDateTimeEdit *m_since;
    QDateTimeEdit *m_until;
    QPushButton *m_previewReplay;
    QLabel *m_preview;
    QPushButton *m_go;
};

} // namespace watukuy::ui
