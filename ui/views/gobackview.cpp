// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/gobackview.h"

#include <QCheckBox>
#include <QDateTimeEdit>
#include <QFormLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTimeZone>
#include <QVBoxLayout>

namespace watukuy::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr Duration usualReplay = std::chrono::hours{1};

QLabel *makeNote(const QString &text, QWidget *parent)
{
    auto *note = new QLabel(text, parent);
    note->setWordWrap(true);
    note->setForegroundRole(QPalette::PlaceholderText);
    return note;
}

QDateTimeEdit *makeTime(const QString &name, QWidget *parent)
{
    auto *edit = new QDateTimeEdit(parent);
    edit->setTimeSpec(Qt::UTC);
    edit->setCalendarPopup(true);
    edit->setAccessibleName(name);
    return edit;
}

} // namespace

GoBackView::GoBackView(EngineClient *client, QWidget *parent)
    : QWidget(parent)
    , m_client(client)
    , m_preview(new QLabel(this))
    , m_go(new QPushButton(this))
{
    m_preview->setWordWrap(true);
    m_preview->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_go->setObjectName(u"go"_s);
    auto *boxes = new QHBoxLayout;
    boxes->addWidget(makeBackfill(), 1);
    boxes->addWidget(makeReplay(), 1);
    auto *bar = new QHBoxLayout;
    bar->addWidget(m_preview, 1);
    bar->addWidget(m_go);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(boxes, 1);
    layout->addLayout(bar);
    connect(m_go, &QPushButton::clicked, this, [this] {
        if (m_key && m_wish)
            Q_EMIT wanted(m_key->key, *m_wish, m_preview->text());
        forget();
    });
    connect(client, &EngineClient::actionFinished, this, &GoBackView::showPreview);
    setWording({});
    forget();
    showState();
}

QGroupBox *GoBackView::makeBackfill()
{
    auto *box = new QGroupBox(tr("Backfill: list the API again"), this);
    m_from = new QLineEdit(box);
    m_from->setPlaceholderText(tr("the API's own cursor; empty = from the beginning"));
    m_from->setObjectName(u"from"_s);
    m_to = new QLineEdit(box);
    m_to->setPlaceholderText(tr("empty = where live polling stands now"));
    m_force = new QCheckBox(tr("Emit items that are known already, too"), box);
    m_previewBackfill = new QPushButton(tr("Preview backfill"), box);
    m_previewBackfill->setObjectName(u"previewBackfill"_s);
    m_cancel = new QPushButton(tr("Cancel backfill…"), box);
    m_cancel->setObjectName(u"cancelBackfill"_s);
    m_state = makeNote({}, box);
    auto *form = new QFormLayout;
    form->addRow(tr("From cursor"), m_from);
    form->addRow(tr("Up to cursor"), m_to);
    form->addRow(QString(), m_force);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_previewBackfill);
    buttons->addWidget(m_cancel);
    buttons->addStretch(1);
    auto *layout = new QVBoxLayout(box);
    layout->addWidget(m_state);
    layout->addLayout(form);
    layout->addLayout(buttons);
    layout->addStretch(1);
    for (QLineEdit *edit : {m_from, m_to})
        connect(edit, &QLineEdit::textEdited, this, &GoBackView::forget);
    connect(m_force, &QCheckBox::toggled, this, &GoBackView::forget);
    connect(m_previewBackfill, &QPushButton::clicked, this, [this] { preview(backfillWish()); });
    connect(m_cancel, &QPushButton::clicked, this, [this] { preview(CancelBackfillWish{}); });
    return box;
}

QGroupBox *GoBackView::makeReplay()
{
    auto *box = new QGroupBox(tr("Replay: deliver logged events again"), this);
    m_since = makeTime(tr("Observed from"), box);
    m_until = makeTime(tr("Observed before"), box);
    m_previewReplay = new QPushButton(tr("Preview replay"), box);
    m_previewReplay->setObjectName(u"previewReplay"_s);
    auto *form = new QFormLayout;
    form->addRow(tr("Observed from"), m_since);
    form->addRow(tr("Observed before"), m_until);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_previewReplay);
    buttons->addStretch(1);
    auto *layout = new QVBoxLayout(box);
    layout->addWidget(
        makeNote(tr("Events keep their own ids: a receiver that drops repeated ids sees none of "
                    "them twice."),
                 box));
    layout->addLayout(form);
    layout->addLayout(buttons);
    layout->addStretch(1);
    for (QDateTimeEdit *edit : {m_since, m_until})
        connect(edit, &QDateTimeEdit::dateTimeChanged, this, &GoBackView::forget);
    connect(m_previewReplay, &QPushButton::clicked, this, [this] { preview(replayWish()); });
    return box;
}

void GoBackView::setKey(const std::optional<KeySnapshot> &key, Instant now)
{
    const bool isOther = !key || !m_key || key->key != m_key->key;
    m_key = key;
    if (isOther) {
        m_from->clear();
        m_to->clear();
        m_force->setChecked(false);
        m_since->setDateTime(QDateTime::fromMSecsSinceEpoch(toEpochMs(now - usualReplay), Qt::UTC));
        m_until->setDateTime(QDateTime::fromMSecsSinceEpoch(toEpochMs(now), Qt::UTC));
        forget();
    }
    showState();
}

void GoBackView::setWording(Wording wording)
{
    m_wording = wording;
    for (QDateTimeEdit *edit : {m_since, m_until}) {
        const QDateTime time = edit->dateTime();
        const bool isLocal = wording.zone == Zone::Local;
        edit->setTimeSpec(isLocal ? Qt::LocalTime : Qt::UTC);
        edit->setDateTime(isLocal ? time.toLocalTime() : time.toUTC());
        edit->setDisplayFormat(u"yyyy-MM-dd HH:mm:ss '%1'"_s.arg(wording.zoneName()));
    }
}

void GoBackView::showState()
{
    const bool isActive = m_key && m_key->backfillActive;
    m_state->setText(
        isActive ? tr("A backfill is under way, at %1.")
                       .arg(m_key->backfillCursor.isEmpty() ? tr("the beginning")
                                                            : QString::fromUtf8(m_key->backfillCursor))
                 : tr("Goes on beside live polling, under the same lease. Items whose version is "
                      "known stay quiet."));
    m_cancel->setEnabled(isActive);
    m_previewBackfill->setEnabled(m_key && !isActive);
    m_previewReplay->setEnabled(m_key.has_value());
}

BackfillWish GoBackView::backfillWish() const
{
    const QString from = m_from->text().trimmed();
    const QString to = m_to->text().trimmed();
    return {from.isEmpty() ? u"null"_s : from, to.isEmpty() ? std::nullopt : std::optional(to),
            m_force->isChecked()};
}

ReplayWish GoBackView::replayWish() const
{
    return {fromEpochMs(m_since->dateTime().toMSecsSinceEpoch()),
            fromEpochMs(m_until->dateTime().toMSecsSinceEpoch())};
}

void GoBackView::preview(const GoBackWish &wish)
{
    if (!m_key)
        return;
    forget();
    m_wish = wish;
    m_preview->setText(tr("Asking what it would do…"));
    m_request = m_client->goBack(m_key->key, wish, Run::Dry, {});
}

void GoBackView::showPreview(quint64 request, const ActionResult &result)
{
    if (request != m_request || !m_wish)
        return;
    m_request = 0;
    QStringList lines = result.details;
    for (const ActionResult::Failed &failed : result.failed) {
        lines.append(failed.error.oneLine());
        lines.append(failed.error.nextStep);
    }
    lines.removeAll(QString());
    m_preview->setText(lines.join(u'\n'));
    const bool isReplay = std::holds_alternative<ReplayWish>(*m_wish);
    if (std::holds_alternative<BackfillWish>(*m_wish))
        m_go->setText(tr("Start backfill…"));
    else
        m_go->setText(isReplay ? tr("Replay %1 events…").arg(Wording::count(result.done))
                               : tr("Cancel backfill…"));
    m_go->setVisible(result.done > 0);
}

/// Something was changed: what was previewed is not what would happen now.
void GoBackView::forget()
{
    m_wish.reset();
    m_request = 0;
    m_preview->setText(tr("Nothing is changed before you have seen a preview and confirmed it."));
    m_go->setVisible(false);
}

} // namespace watukuy::ui
