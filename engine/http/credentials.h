// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a credential on a request.
#pragma once

#include "engine/definition/definition.h"
#include "engine/definition/secrets.h"
#include "engine/http/transport.h"

namespace watukuy::http {

/// Adds what `credential` (named `name` in the workspace) stands for. ErrorKind::Secret when a
/// reference cannot be read, ErrorKind::Workspace for kinds that this version cannot use.
[[nodiscard]] Result<void> applyCredential(Request &request, const QString &name,
                                           const CredentialDefinition &credential,
                                           const Template::Lookup &lookup, Secrets &secrets);

/// `lookup` that also reads secret references.
[[nodiscard]] Template::Lookup withSecrets(const Template::Lookup &lookup, Secrets &secrets);

/// Sets a header after checking that name and value can stand in a request: a line break would let
/// a value write headers of its own. `where` names the place in the workspace for the message.
[[nodiscard]] Result<void> setHeader(Request &request, const QString &name, const QString &value,
                                     const QString &where);

/// True when something of the request must not reach another origin.
[[nodiscard]] bool carriesCredentials(const Request &request);

} // namespace watukuy::http
