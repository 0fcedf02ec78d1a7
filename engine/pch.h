// SPDX-License-Identifier: GPL-3.0-or-later
// Precompiled for every room: the headers nearly every file needs.
#pragma once

#include <algorithm>
#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <QByteArray>
#include <QHash>
#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>
