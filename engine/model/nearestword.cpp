// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/nearestword.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace watukuy {

namespace {

/// Levenshtein distance; a letter in the other case is no edit.
qsizetype editsBetween(const QString &left, const QString &right)
{
    std::vector<qsizetype> row(static_cast<size_t>(right.size()) + 1);
    std::iota(row.begin(), row.end(), 0);
    for (qsizetype at = 0; at < left.size(); ++at) {
        qsizetype diagonal = std::exchange(row[0], at + 1);
        for (qsizetype to = 0; to < right.size(); ++to) {
            const size_t place = static_cast<size_t>(to) + 1;
            const qsizetype replaced = diagonal + (left.at(at).toLower() == right.at(to).toLower() ? 0 : 1);
            diagonal = row[place];
            row[place] = std::min({row[place] + 1, row[place - 1] + 1, replaced});
        }
    }
    return row.back();
}

} // namespace

QString nearestWord(const QString &word, const QStringList &known)
{
    constexpr qsizetype longestCompared = 200;
    if (word.isEmpty() || word.size() > longestCompared)
        return {};
    QString best;
    qsizetype fewest = std::max<qsizetype>(2, word.size() / 2) + 1;
    for (const QString &candidate : known) {
        const qsizetype edits = editsBetween(word, candidate);
        // What shares no letter is not near, however short both are.
        if (edits < fewest && edits < std::max(word.size(), candidate.size())) {
            fewest = edits;
            best = candidate;
        }
    }
    return best;
}

} // namespace watukuy
