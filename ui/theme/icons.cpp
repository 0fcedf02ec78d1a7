// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"

#include <array>

#include <QFile>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>

/// Q_INIT_RESOURCE declares a function of the global namespace, so it cannot stand in another.
static void registerIcons()
{
    Q_INIT_RESOURCE(icons);
}

namespace watukuy::ui {

using namespace Qt::StringLiterals;

namespace {

QString pathOf(const QString &name)
{
    static const bool isRegistered = (registerIcons(), true);
    Q_UNUSED(isRegistered)
    return u":/watukuy/icons/%1.svg"_s.arg(name);
}

struct StateLook {
    const char *file;
    QRgb color;
};

const StateLook &lookOf(VisibleState state)
{
    static constexpr std::array<StateLook, 7> looks{{{"state-idle", 0xff5b7c99},
                                                     {"state-polling", 0xff2f7fd6},
                                                     {"state-throttled", 0xffb07d18},
                                                     {"state-backing-off", 0xffc76a12},
                                                     {"state-circuit-open", 0xffcf3a3a},
                                                     {"state-half-open", 0xff8a5cc7},
                                                     {"state-paused", 0xff7b7f86}}};
    return looks.at(static_cast<size_t>(state));
}

QPixmap drawn(QSvgRenderer &renderer, int size)
{
    QPixmap pixmap(size, size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    return pixmap;
}

QIcon inColor(const QByteArray &svg, const QColor &color, const QColor &disabled)
{
    QIcon icon;
    for (const auto &[mode, shade] :
         {std::pair{QIcon::Normal, color}, std::pair{QIcon::Disabled, disabled}}) {
        QByteArray text = svg;
        QSvgRenderer renderer(text.replace("#000000", shade.name().toLatin1()));
        for (const int size : {16, 24, 32, 48, 64})
            icon.addPixmap(drawn(renderer, size), mode);
    }
    return icon;
}

/// On a selected row the colour and the white inside it change places: the row has a colour itself.
QIcon onSelectionsToo(const QString &name, QColor color)
{
    QFile file(pathOf(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray plain = file.readAll();
    QByteArray swapped = plain;
    swapped.replace("#ffffff", "#inside").replace(color.name().toLatin1(), "#ffffff");
    swapped.replace("#inside", color.name().toLatin1());
    QIcon icon;
    for (const auto &[mode, svg] : {std::pair{QIcon::Normal, plain}, std::pair{QIcon::Selected, swapped}}) {
        QSvgRenderer renderer(svg);
        for (const int size : {16, 24, 32, 48, 64})
            icon.addPixmap(drawn(renderer, size), mode);
    }
    return icon;
}

} // namespace

QIcon stateIcon(VisibleState state)
{
    static std::array<QIcon, 7> icons;
    QIcon &icon = icons.at(static_cast<size_t>(state));
    if (icon.isNull())
        icon = onSelectionsToo(QLatin1StringView(lookOf(state).file), lookOf(state).color);
    return icon;
}

QIcon actionIcon(const QString &name, const QPalette &palette)
{
    QFile file(pathOf(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return inColor(file.readAll(), palette.color(QPalette::ButtonText),
                   palette.color(QPalette::Disabled, QPalette::ButtonText));
}

QIcon programIcon()
{
    return QIcon(pathOf(u"watukuy"_s));
}

QColor stateColor(VisibleState state)
{
    return QColor::fromRgba(lookOf(state).color);
}

} // namespace watukuy::ui
