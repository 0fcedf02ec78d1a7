// SPDX-License-Identifier: GPL-3.0-or-later
// Link headers (RFC 8288) and where they may lead.
#include "engine/http/headers.h"
#include "engine/http/origin.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

/// Reads one Link header from left to right; malformed links are passed over, never the rest.
class LinkParser {
public:
    explicit LinkParser(QByteArrayView text)
        : m_text(text)
    {
    }

    std::vector<Link> all()
    {
        std::vector<Link> links;
        while (m_at < m_text.size()) {
            skip(" \t,");
            if (m_at >= m_text.size())
                break;
            if (m_text[m_at] != '<') {
                skipToComma();
                continue;
            }
            const qsizetype close = m_text.indexOf('>', m_at);
            if (close < 0)
                break;
            Link link{.target = QString::fromUtf8(m_text.sliced(m_at + 1, close - m_at - 1)).trimmed(),
                      .relations = {}};
            m_at = close + 1;
            if (parameters(link))
                links.push_back(std::move(link));
        }
        return links;
    }

private:
    void skip(QByteArrayView what)
    {
        while (m_at < m_text.size() && what.contains(m_text[m_at]))
            ++m_at;
    }
    void skipToComma()
    {
        while (m_at < m_text.size() && m_text[m_at] != ',') {
            if (m_text[m_at] == '"')
                (void)quoted();
            else
                ++m_at;
        }
    }
    QByteArray quoted()
    {
        QByteArray value;
        for (++m_at; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at) {
            if (m_text[m_at] == '\\' && m_at + 1 < m_text.size())
                ++m_at;
            value += m_text[m_at];
        }
        ++m_at;
        return value;
    }
    QByteArray until(QByteArrayView ends)
    {
        const qsizetype from = m_at;
        while (m_at < m_text.size() && !ends.contains(m_text[m_at]))
            ++m_at;
        return m_text.sliced(from, m_at - from).trimmed().toByteArray();
    }
    /// False when the link speaks of another context than the answer itself (`anchor`).
    bool parameters(Link &link)
    {
        bool ours = true;
        bool sawRelation = false;
        for (skip(" \t"); m_at < m_text.size() && m_text[m_at] == ';'; skip(" \t")) {
            ++m_at;
            skip(" \t;");
            const QByteArray name = until("=;,").toLower();
            QByteArray value;
            if (m_at < m_text.size() && m_text[m_at] == '=') {
                ++m_at;
                skip(" \t");
                value = m_at < m_text.size() && m_text[m_at] == '"' ? quoted() : until(";,");
            }
            if (name == "rel" && !sawRelation) { // RFC 8288 3.3: further ones are ignored
                sawRelation = true;
                link.relations = QString::fromLatin1(value).toLower().split(u' ', Qt::SkipEmptyParts);
            } else if (name == "anchor") {
                ours = value.isEmpty();
            }
        }
        skipToComma();
        return ours;
    }

    QByteArrayView m_text;
    qsizetype m_at = 0;
};

} // namespace

std::vector<Link> readLinks(QByteArrayView value)
{
    return LinkParser(value).all();
}

QString nextTarget(const Headers &headers, const QUrl &base)
{
    for (const auto &[name, value] : headers) {
        if (name.compare("link", Qt::CaseInsensitive) != 0)
            continue;
        for (const Link &link : readLinks(value)) {
            if (link.relations.contains(u"next"_s))
                return base.resolved(QUrl(link.target, QUrl::TolerantMode)).toString(QUrl::FullyEncoded);
        }
    }
    return {};
}

} // namespace watukuy::http
