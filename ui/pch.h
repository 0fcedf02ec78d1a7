// SPDX-License-Identifier: GPL-3.0-or-later
// Precompiled for the windows: the headers nearly every file needs.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <QAbstractItemModel>
#include <QHash>
#include <QList>
#include <QString>
#include <QWidget>
