// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/json/csv.h"

#include "engine/json/token.h"

namespace watukuy::json {

using namespace Qt::StringLiterals;

namespace {

/// One record and the bytes it was read from.
struct Record {
    std::vector<QByteArray> fields;
    QByteArrayView raw;
    bool unclosedQuote = false;
};

class RecordReader {
public:
    explicit RecordReader(QByteArrayView text)
        : m_text(text)
    {
    }

    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }

    Record next()
    {
        Record record;
        const qsizetype start = m_at;
        QByteArray field;
        bool quoted = false;
        while (m_at < m_text.size()) {
            const char character = m_text.at(m_at++);
            if (quoted && character == '"' && m_at < m_text.size() && m_text.at(m_at) == '"') {
                field += '"';
                ++m_at;
            } else if (character == '"' && (quoted || field.isEmpty())) {
                quoted = !quoted;
            } else if (quoted) {
                field += character;
            } else if (character == ',') {
                record.fields.push_back(std::exchange(field, {}));
            } else if (character == '\n') {
                break;
            } else if (character != '\r') {
                field += character;
            }
        }
        record.fields.push_back(field);
        record.raw = m_text.sliced(start, m_at - start);
        record.unclosedQuote = quoted;
        return record;
    }

private:
    QByteArrayView m_text;
    qsizetype m_at = 0;
};

} // namespace

void takeCsvApart(QByteArrayView body, PageBody &page)
{
    RecordReader reader(body);
    const Record head = reader.next();
    while (!reader.atEnd()) {
        const Record record = reader.next();
        if (record.raw.trimmed().isEmpty())
            continue;
        if (record.unclosedQuote || record.fields.size() != head.fields.size()) {
            page.broken.push_back(
                {record.raw.trimmed().toByteArray(),
                 record.unclosedQuote ? u"a quoted field is never closed"_s
                                      : u"%1 fields where the first line names %2"_s.arg(record.fields.size())
                                            .arg(head.fields.size())});
            continue;
        }
        QByteArray item = "{";
        for (size_t column = 0; column < head.fields.size(); ++column) {
            if (column > 0)
                item += ',';
            item += canonicalString(textOfUtf8(head.fields[column])) + ':' +
                    canonicalString(textOfUtf8(record.fields[column]));
        }
        page.items.push_back(item + '}');
    }
}

} // namespace watukuy::json
