// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of an event on its way out: the native envelope and CloudEvents 1.0 (spec-engine 8).
#pragma once

#include <QByteArray>

#include "engine/definition/definition.h"
#include "engine/model/event.h"

namespace watukuy {

/// The native envelope: `id, type, source, subject, time, poller, partition, lane, sequence, cursor,
/// data, previous?, attempt`, one line of JSON without a line end. `data` and `previous` are the raw
/// bytes the API sent, line breaks between tokens removed so that one event stays one line.
[[nodiscard]] QByteArray nativeEnvelope(const Event &event, int attempt);

/// The same event as a structured CloudEvent 1.0 (JSON format).
[[nodiscard]] QByteArray cloudEvent(const Event &event);

/// False when a file that begins so is none of ours; a first envelope may be torn anywhere. 100 bytes tell.
[[nodiscard]] bool beginsWithEnvelope(const QByteArray &beginning);

[[nodiscard]] QByteArray envelopeOf(const Event &event, int attempt, EventFormat format);

} // namespace watukuy
