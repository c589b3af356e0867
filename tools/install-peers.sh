#!/usr/bin/env bash
# Installs the SIP peers that the end-to-end tests call with, where that is possible: SIPp and baresip, as root on Debian
# and its relatives. Elsewhere it says so; the tests then say that they are skipped.
set -euo pipefail

if command -v sipp >/dev/null && command -v baresip >/dev/null; then exit 0; fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "SIPp and baresip are not installed and cannot be from here (that takes root on Debian or Ubuntu)." >&2
  echo "Install the packages sip-tester and baresip-core to run every test." >&2
  exit 0
fi
echo "Installing the SIP peers of the end-to-end tests (sip-tester, baresip-core) ..."
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update -q && apt-get install -y -q --no-install-recommends sip-tester baresip-core; } >/dev/null; then
  echo "SIPp and baresip could not be installed: see above. Their tests will say so." >&2
fi
