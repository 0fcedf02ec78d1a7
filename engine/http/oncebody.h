// SPDX-License-Identifier: GPL-3.0-or-later
// A request body that can be read once.
#pragma once

#include <cstring>

#include <QByteArray>
#include <QIODevice>

namespace watukuy::http {

/// QNetworkAccessManager sends a request again when the connection drops before the answer. It must
/// rewind the body for that: a sequential device cannot be rewound, so that no request is sent
/// twice, be it because it may have taken effect or because a budget counts it once.
class OnceBody final : public QIODevice {
    Q_OBJECT

public:
    explicit OnceBody(QByteArray bytes)
        : m_bytes(std::move(bytes))
    {
        open(QIODevice::ReadOnly | QIODevice::Unbuffered);
    }

    [[nodiscard]] bool isSequential() const override { return true; }
    [[nodiscard]] qint64 bytesAvailable() const override { return m_bytes.size() - m_at; }
    bool seek(qint64) override { return false; }
    [[nodiscard]] bool atEnd() const override { return m_at == m_bytes.size(); }

protected:
    qint64 readData(char *data, qint64 maxSize) override
    {
        const qsizetype count = std::min<qsizetype>(maxSize, m_bytes.size() - m_at);
        if (count == 0)
            return -1;
        std::memcpy(data, m_bytes.constData() + m_at, static_cast<size_t>(count));
        m_at += count;
        return count;
    }
    qint64 writeData(const char *, qint64) override { return -1; }

private:
    QByteArray m_bytes;
    qsizetype m_at = 0;
};

} // namespace watukuy::http
