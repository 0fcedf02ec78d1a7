// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop program `watukuy-desktop`.
#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QTimer>

#include "app/cli/stopsignals.h"
#include "app/cli/translation.h"
#include "app/desktop/program.h"
#include "ui/theme/icons.h"

using namespace Qt::StringLiterals;

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Desktop)
};

} // namespace

int main(int argc, char *argv[])
{
    QApplication application(argc, argv);
    watukuy::cli::installTranslation(application);
    QApplication::setApplicationName(u"watukuy"_s);
    QApplication::setOrganizationName(u"Watukuy"_s);
    QApplication::setApplicationDisplayName(u"Watukuy"_s);
    QApplication::setApplicationVersion(QStringLiteral(WATUKUY_VERSION));
    QApplication::setWindowIcon(watukuy::ui::programIcon());
    QApplication::setQuitOnLastWindowClosed(false);

    QCommandLineParser parser;
    parser.setApplicationDescription(Text::tr("Watches pollers: webhooks for APIs that have none."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption workspace(u"workspace"_s, Text::tr("Opens this workspace."), u"FILE"_s);
    const QCommandLineOption demo(u"demo"_s,
                                  Text::tr("Opens the demo: a small shop whose data changes by itself."));
    const QCommandLineOption duration(u"for"_s, Text::tr("Ends by itself after this many seconds."),
                                      u"SECONDS"_s);
    parser.addOptions({workspace, demo, duration});
    parser.process(application);

    watukuy::desktop::Program program;
    watukuy::cli::StopSignals signals_;
    QObject::connect(&signals_, &watukuy::cli::StopSignals::received, &program,
                     [&program] { program.stop(); });
    if (parser.isSet(workspace))
        program.openWorkspace(QFileInfo(parser.value(workspace)).absoluteFilePath());
    else if (parser.isSet(demo))
        program.openDemo();
    if (const int seconds = parser.value(duration).remove(u's').toInt(); seconds > 0)
        QTimer::singleShot(std::chrono::seconds{seconds}, &program, [&program] { program.stop(); });
    program.show();
    return QApplication::exec();
}
