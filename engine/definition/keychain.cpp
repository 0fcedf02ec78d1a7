// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/keychain.h"

#include <memory>

#include <QCoroSignal>
#include <qt6keychain/keychain.h>

#include <QScopedPointer>

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

class ReferenceCollector {
public:
    void add(const Template &text)
    {
        for (const QString &name : text.placeholders()) {
            if (Secrets::isReference(name) && !m_references.contains(name))
                m_references.append(name);
        }
    }
    void add(const std::vector<std::pair<QString, Template>> &members)
    {
        for (const auto &[name, text] : members)
            add(text);
    }
    void add(const RequestDefinition &request)
    {
        add(request.headers);
        add(request.proxy);
    }
    void add(const CredentialDefinition &credential)
    {
        if (const auto *bearer = std::get_if<BearerCredential>(&credential))
            add(bearer->token);
        if (const auto *basic = std::get_if<BasicCredential>(&credential)) {
            add(basic->username);
            add(basic->password);
        }
        if (const auto *apiKey = std::get_if<ApiKeyCredential>(&credential))
            add(apiKey->value);
        if (const auto *oauth = std::get_if<OAuth2Credential>(&credential)) {
            add(oauth->tokenUrl);
            add(oauth->clientId);
            add(oauth->clientSecret);
            add(oauth->refreshToken);
        }
        if (const auto *hmac = std::get_if<HmacCredential>(&credential)) {
            add(hmac->key);
            add(hmac->payload);
        }
    }
    void add(const SinkDefinition &sink)
    {
        if (const auto *webhook = std::get_if<WebhookSinkDefinition>(&sink)) {
            add(webhook->url);
            add(webhook->secret);
            add(webhook->headers);
        }
        if (const auto *redis = std::get_if<RedisSinkDefinition>(&sink))
            add(redis->password);
        if (const auto *kafka = std::get_if<KafkaSinkDefinition>(&sink)) {
            for (const auto &[name, text] : kafka->properties)
                add(text);
        }
    }

    [[nodiscard]] QStringList take() { return std::move(m_references); }

private:
    QStringList m_references;
};

/// Without a D-Bus session the keychain says "other error" and nothing that helps.
QString causeOf(const QKeychain::Job &job)
{
    switch (job.error()) {
    case QKeychain::EntryNotFound:
        return u"The keychain has no such entry of the service Watukuy."_s;
    case QKeychain::AccessDenied:
    case QKeychain::AccessDeniedByUser:
        return u"The keychain refused: %1."_s.arg(job.errorString());
    default:
        break;
    }
    const QString said = job.errorString().isEmpty() ? u"unknown error"_s : job.errorString();
#if defined(Q_OS_UNIX) && !defined(Q_OS_MACOS)
    if (!qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS"))
        return u"There is no keychain here: no D-Bus session is running (%1)."_s.arg(said);
#endif
    return u"The keychain cannot be used: %1."_s.arg(said);
}

} // namespace

QStringList secretReferences(const WorkspaceDefinition &workspace)
{
    ReferenceCollector collector;
    for (const auto &[name, credential] : workspace.credentials)
        collector.add(credential);
    for (const auto &[name, sink] : workspace.sinks)
        collector.add(sink);
    for (const auto &[name, poller] : workspace.pollers) {
        collector.add(poller.request);
        if (poller.reconcile)
            collector.add(poller.reconcile->request);
        if (poller.partitions.request)
            collector.add(*poller.partitions.request);
    }
    if (const auto *postgres = std::get_if<PostgresStoreDefinition>(&workspace.store))
        collector.add(postgres->password);
    if (const auto *redis = std::get_if<RedisStoreDefinition>(&workspace.store))
        collector.add(redis->password);
    return collector.take();
}

QCoro::Task<Result<void>> readKeychain(Secrets *secrets, QStringList references)
{
    static constexpr QLatin1StringView prefix("keychain:");
    for (const QString &reference : references) {
        if (!reference.startsWith(prefix))
            continue;
        const QString entry = reference.mid(prefix.size());
        // The coroutine goes on inside the job's own signal, so the job is deleted later.
        const std::unique_ptr<QKeychain::ReadPasswordJob, QScopedPointerDeleteLater> job(
            new QKeychain::ReadPasswordJob(u"Watukuy"_s));
        job->setAutoDelete(false);
        job->setKey(entry);
        job->start();
        co_await qCoro(static_cast<QKeychain::Job *>(job.get()), &QKeychain::Job::finished);
        if (job->error() != QKeychain::NoError) {
            Error error{.kind = ErrorKind::Secret,
                        .name = u"SecretError"_s,
                        .title = u"The secret ${%1} cannot be read"_s.arg(reference),
                        .detail = causeOf(*job),
                        .nextStep = Secrets::keychainNextStep(entry)};
            co_return fail(std::move(error));
        }
        secrets->replace(reference, job->textData());
    }
    co_return Result<void>{};
}

} // namespace watukuy
