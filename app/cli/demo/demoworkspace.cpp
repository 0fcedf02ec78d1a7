// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/demo/demoworkspace.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QSaveFile>

namespace watukuy::demo {

using namespace Qt::StringLiterals;

namespace {

/// What somebody made of the demo before, with the shop's address of now.
std::optional<QByteArray> keptText(const QString &name, const QUrl &api)
{
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    static const QRegularExpression address(u"(\"api\"\\s*:\\s*\")http://127\\.0\\.0\\.1:[0-9]+"_s);
    return QString::fromUtf8(file.readAll())
        .replace(address, u"\\1"_s + api.toString(QUrl::StripTrailingSlash))
        .toUtf8();
}

} // namespace

std::expected<QString, QString> writeDemoWorkspace(const QString &folder, const QUrl &api)
{
    QFile resource(u":/demo/demo.watukuy.json"_s);
    if (!resource.open(QIODevice::ReadOnly))
        return std::unexpected(resource.errorString());
    // The port of the shop is known only now; the rest of the file stays as people read it.
    QByteArray text = resource.readAll();
    text.replace("http://127.0.0.1:8765", api.toEncoded(QUrl::StripTrailingSlash));

    const QDir place(folder);
    if (!place.mkpath(u"."_s))
        return std::unexpected(u"the folder %1 cannot be made"_s.arg(folder));
    const QString name = place.absoluteFilePath(u"demo.watukuy.json"_s);
    if (const auto known = keptText(name, api); known && *known != text)
        text = *known;
    QSaveFile file(name);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit())
        return std::unexpected(file.fileName() + u": "_s + file.errorString());
    return file.fileName();
}

} // namespace watukuy::demo
