// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/demo.h"

#include <QDir>
#include <QStandardPaths>

#include "app/cli/demo/demoshop.h"
#include "app/cli/demo/demoworkspace.h"

namespace watukuy::desktop {

using namespace Qt::StringLiterals;

namespace {

std::expected<QString, QString> startShop(demo::DemoShop *shop)
{
    if (!shop->start(0))
        return std::unexpected(shop->errorString());
    shop->changeEvery();
    const QString data = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
    return demo::writeDemoWorkspace(QDir(data).filePath(u"demo"_s), shop->url());
}

} // namespace

Demo::~Demo()
{
    m_thread.quit();
    m_thread.wait();
}

void Demo::start(QObject *context, std::function<void(std::expected<QString, QString>)> ready)
{
    if (!m_shop) {
        m_thread.setObjectName(u"watukuy-demo"_s);
        m_shop = new demo::DemoShop;
        m_shop->moveToThread(&m_thread);
        QObject::connect(&m_thread, &QThread::finished, m_shop, &QObject::deleteLater);
        m_thread.start();
    }
    QMetaObject::invokeMethod(
        m_shop,
        [shop = m_shop, context, ready = std::move(ready)] {
            auto file = startShop(shop);
            QMetaObject::invokeMethod(
                context, [ready, file = std::move(file)] { ready(file); }, Qt::QueuedConnection);
        },
        Qt::QueuedConnection);
}

} // namespace watukuy::desktop
