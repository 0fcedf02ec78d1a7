// SPDX-License-Identifier: GPL-3.0-or-later
// The left panel: views that gather what needs a person, each with its count.
#pragma once

#include <vector>

#include <QListWidget>

#include "engine/api/snapshot.h"
#include "ui/models/severity.h"

namespace watukuy::ui {

class ViewsPanel : public QListWidget {
    Q_OBJECT

public:
    explicit ViewsPanel(QWidget *parent = nullptr);

    void count(const std::vector<KeySnapshot> &keys, Instant now);
    void choose(View view);
    [[nodiscard]] int countOf(View view) const;

Q_SIGNALS:
    void chosen(watukuy::ui::View view);
};

} // namespace watukuy::ui
