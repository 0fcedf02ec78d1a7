// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/json/canonical.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <QSet>
#include <QStringList>

#include "engine/json/token.h"
#include "engine/json/walk.h"

namespace watukuy::json {

using namespace Qt::StringLiterals;
using walk::ondemand::array;
using walk::ondemand::document;
using walk::ondemand::json_type;
using walk::ondemand::object;
using walk::ondemand::parser;
using walk::ondemand::value;

namespace {

constexpr int deepest = 512;

QByteArrayView bytes(std::string_view text)
{
    return {text.data(), static_cast<qsizetype>(text.size())};
}

/// A member of an object: its name as text and as written, its canonical value.
struct Member {
    QByteArray name; ///< UTF-8, unescaped
    QByteArray token;
    QByteArray value;
};

/// Order of UTF-16 code units (RFC 8785 3.2.3). Bytes of UTF-8 have the same order unless one name
/// holds a character beyond U+FFFF and the other one from U+E000 up.
bool comesBefore(const Member &left, const Member &right)
{
    const auto isHigh = [](char character) { return static_cast<unsigned char>(character) >= 0xee; };
    if (std::ranges::any_of(left.name, isHigh) || std::ranges::any_of(right.name, isHigh))
        return textOfUtf8(left.name) < textOfUtf8(right.name);
    return left.name < right.name;
}

class Canonicaliser {
public:
    explicit Canonicaliser(const std::vector<Path> &leftOut)
    {
        for (const Path &path : leftOut)
            m_leftOut.insert(path.segments());
    }

    simdjson::error_code write(value from, QByteArray &out, int depth)
    {
        if (depth > deepest)
            return simdjson::DEPTH_ERROR;
        json_type type{};
        if (const auto error = from.type().get(type))
            return error;
        switch (type) {
        case json_type::object:
            return writeObject(from, out, depth);
        case json_type::array:
            return writeArray(from, out, depth);
        default:
            return writeScalar(from, out);
        }
    }

    simdjson::error_code writeScalar(value from, QByteArray &out)
    {
        std::string_view token;
        if (const auto error = walk::tokenOf(from).get(token))
            return error;
        return writeScalar(token, out);
    }

    simdjson::error_code writeScalar(std::string_view token, QByteArray &out)
    {
        if (token == "true" || token == "false" || token == "null") {
            out += bytes(token);
            return simdjson::SUCCESS;
        }
        if (token.starts_with('"'))
            return writeString(token, out);
        const auto number = canonicalNumber(bytes(token));
        if (!number)
            return simdjson::NUMBER_ERROR;
        out += *number;
        return simdjson::SUCCESS;
    }

    [[nodiscard]] int duplicateNames() const { return m_duplicateNames; }

private:
    static simdjson::error_code writeString(std::string_view token, QByteArray &out)
    {
        const auto text = textOfString(bytes(token));
        if (!text)
            return simdjson::STRING_ERROR;
        if (token.find('\\') == std::string_view::npos)
            out += bytes(token);
        else
            out += canonicalString(*text);
        return simdjson::SUCCESS;
    }

    simdjson::error_code writeArray(value from, QByteArray &out, int depth)
    {
        array elements;
        if (const auto error = from.get_array().get(elements))
            return error;
        out += '[';
        qsizetype written = 0;
        qsizetype index = 0;
        for (auto element : elements) {
            value inner;
            if (const auto error = std::move(element).get(inner))
                return error;
            const Step step(*this, m_leftOut.isEmpty() ? QByteArray() : QByteArray::number(index++));
            if (isLeftOut()) {
                if (const auto error = walk::skip(inner))
                    return error;
                continue;
            }
            if (written++ > 0)
                out += ',';
            if (const auto error = write(inner, out, depth + 1))
                return error;
        }
        out += ']';
        return simdjson::SUCCESS;
    }

    simdjson::error_code writeObject(value from, QByteArray &out, int depth)
    {
        object fields;
        if (const auto error = from.get_object().get(fields))
            return error;
        std::vector<Member> members;
        for (auto entry : fields) {
            walk::ondemand::field field;
            if (const auto error = std::move(entry).get(field))
                return error;
            Member member;
            if (const auto error = readName(field.key().raw() - 1, member))
                return error;
            const Step step(*this, member.name);
            if (isLeftOut()) {
                if (const auto error = walk::skip(field.value()))
                    return error;
                continue;
            }
            if (const auto error = write(field.value(), member.value, depth + 1))
                return error;
            members.push_back(std::move(member));
        }
        std::ranges::stable_sort(members, comesBefore);
        writeMembers(members, out);
        return simdjson::SUCCESS;
    }

    void writeMembers(const std::vector<Member> &members, QByteArray &out)
    {
        out += '{';
        bool isFirst = true;
        for (size_t index = 0; index < members.size(); ++index) {
            if (index + 1 < members.size() && members[index].name == members[index + 1].name) {
                ++m_duplicateNames;
                continue;
            }
            if (!std::exchange(isFirst, false))
                out += ',';
            out += members[index].token;
            out += ':';
            out += members[index].value;
        }
        out += '}';
    }

    static simdjson::error_code readName(const char *quote, Member &member)
    {
        const char *end = quote + 1;
        bool escaped = false;
        while (*end != '"') {
            escaped = escaped || *end == '\\';
            end += *end == '\\' ? 2 : 1;
        }
        member.token = QByteArray(quote, end - quote + 1);
        const auto name = textOfString(member.token);
        if (!name)
            return simdjson::STRING_ERROR;
        member.name = escaped ? name->toUtf8() : member.token.mid(1, member.token.size() - 2);
        if (escaped)
            member.token = canonicalString(*name);
        return simdjson::SUCCESS;
    }

    /// Where the walk is, kept only while something is to be left out.
    class Step {
    public:
        Step(Canonicaliser &walk_, const QByteArray &name)
            : m_walk(walk_)
        {
            if (!m_walk.m_leftOut.isEmpty())
                m_walk.m_place.append(textOfUtf8(name));
        }
        ~Step()
        {
            if (!m_walk.m_leftOut.isEmpty())
                m_walk.m_place.removeLast();
        }
        Q_DISABLE_COPY_MOVE(Step)

    private:
        Canonicaliser &m_walk;
    };

    [[nodiscard]] bool isLeftOut() const { return !m_leftOut.isEmpty() && m_leftOut.contains(m_place); }

    QSet<QStringList> m_leftOut;
    QStringList m_place;
    int m_duplicateNames = 0;
};

} // namespace

Result<Canonical> canonicalise(QByteArrayView raw, const std::vector<Path> &leftOut)
{
    thread_local walk::PaddedText padded;
    thread_local parser reader;
    const std::string_view text = padded.hold(raw);
    const std::string_view body = walk::trimmed(text);
    Canonical canonical;
    canonical.text.reserve(static_cast<qsizetype>(body.size()));
    Canonicaliser writer(leftOut);
    document root;
    simdjson::error_code error = simdjson::SUCCESS;
    if (body.empty()) {
        error = simdjson::EMPTY;
    } else if (body.front() != '{' && body.front() != '[') {
        error = bytes(body).isValidUtf8() ? writer.writeScalar(body, canonical.text) : simdjson::UTF8_ERROR;
    } else {
        error = reader.iterate(padded.view()).get(root);
        std::string_view whole;
        if (!error)
            error = root.raw_json().get(whole);
        if (!error && walk::trimmed(whole).size() != body.size())
            error = simdjson::TRAILING_CONTENT;
        value from;
        if (!error) {
            root.rewind();
            error = root.get_value().get(from);
        }
        if (!error)
            error = writer.write(from, canonical.text, 0);
    }
    if (error)
        return fail(walk::bodyError(QString::fromLatin1(simdjson::error_message(error)), -1));
    canonical.duplicateNames = writer.duplicateNames();
    return canonical;
}

QByteArray sha256(QByteArrayView input)
{
    thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                                       &EVP_MD_CTX_free);
    thread_local const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> algorithm(
        EVP_MD_fetch(nullptr, "SHA256", nullptr), &EVP_MD_free);
    constexpr qsizetype digestSize = 32;
    QByteArray digest(digestSize, Qt::Uninitialized);
    EVP_DigestInit_ex2(context.get(), algorithm.get(), nullptr);
    EVP_DigestUpdate(context.get(), input.data(), static_cast<size_t>(input.size()));
    EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char *>(digest.data()), nullptr);
    return digest;
}

QByteArray hmacSha256(QByteArrayView key, QByteArrayView input)
{
    constexpr qsizetype digestSize = 32;
    QByteArray digest(digestSize, Qt::Uninitialized);
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
         reinterpret_cast<const unsigned char *>(input.data()), static_cast<size_t>(input.size()),
         reinterpret_cast<unsigned char *>(digest.data()), nullptr);
    return digest;
}

} // namespace watukuy::json
