// SPDX-License-Identifier: GPL-3.0-or-later
// Says what an action would do to how many, asks for a reason; Cancel is the default.
#pragma once

#include <QDialog>

class QLineEdit;

namespace watukuy::ui {

/// Opened with open(); answers with confirmed(). The caller keeps the set it previewed.
class ReasonDialog : public QDialog {
    Q_OBJECT

public:
    struct Text {
        QString title;
        QString scope;       ///< which keys or rows, and how many
        QString consequence; ///< what will be different
        QString action;      ///< the button's word
    };
    ReasonDialog(const Text &text, const QStringList &affected, QWidget *parent);

Q_SIGNALS:
    void confirmed(const QString &reason);

private:
    QLineEdit *m_reason;
};

} // namespace watukuy::ui
