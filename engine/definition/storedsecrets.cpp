// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/storedsecrets.h"

#include <memory>

#include <QCoroSignal>
#include <QSaveFile>
#include <QScopedPointer>
#include <qt6keychain/keychain.h>

#include "engine/definition/keychain.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

Error notWritten(const QString &reference, const QString &detail, const QString &nextStep)
{
    return {.kind = ErrorKind::Secret,
            .name = u"SecretNotWritten"_s,
            .title = u"The secret ${%1} has changed and cannot be written back"_s.arg(reference),
            .detail = detail,
            .nextStep = nextStep};
}

Result<void> writeFile(const QString &reference, const QString &path, const QString &value)
{
    QSaveFile file(path);
    const bool written = file.open(QIODevice::WriteOnly) &&
                         file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner) &&
                         file.write(value.toUtf8() + '\n') >= 0 && file.commit();
    if (written)
        return {};
    return fail(notWritten(reference, u"%1: %2."_s.arg(path, file.errorString()),
                           u"Let the program write the file and its folder."_s));
}

QCoro::Task<Result<void>> writeEntry(QString reference, QString entry, QString value)
{
    // The coroutine goes on inside the job's own signal, so the job is deleted later.
    const std::unique_ptr<QKeychain::WritePasswordJob, QScopedPointerDeleteLater> job(
        new QKeychain::WritePasswordJob(u"Watukuy"_s));
    job->setAutoDelete(false);
    job->setKey(entry);
    job->setTextData(value);
    job->start();
    co_await qCoro(static_cast<QKeychain::Job *>(job.get()), &QKeychain::Job::finished);
    if (job->error() == QKeychain::NoError)
        co_return Result<void>{};
    co_return fail(
        notWritten(reference, u"The keychain says: %1."_s.arg(job->errorString()),
                   u"Unlock the keychain and let the program write the entry \"%1\"."_s.arg(entry)));
}

} // namespace

QCoro::Task<Result<QString>> readAnew(Secrets *secrets, QString reference)
{
    if (reference.startsWith(u"keychain:"_s)) {
        QStringList one{reference};
        if (auto read = co_await readKeychain(secrets, std::move(one)); !read)
            co_return fail(read.error());
    } else {
        secrets->forget(reference);
    }
    co_return secrets->resolve(reference);
}

QCoro::Task<Result<void>> writeBack(Secrets *secrets, QString reference, QString value)
{
    Result<void> written;
    if (const auto path = secrets->pathOf(reference))
        written = writeFile(reference, *path, value);
    else if (reference.startsWith(u"keychain:"_s))
        written = co_await writeEntry(reference, reference.mid(9), value);
    else
        written = fail(notWritten(reference, u"An environment variable cannot be changed from within."_s,
                                  u"Keep it in ${keychain:NAME} or ${file:PATH}, with a fresh value."_s));
    if (written)
        secrets->replace(reference, value);
    co_return written;
}

} // namespace watukuy
