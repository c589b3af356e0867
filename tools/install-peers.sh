#!/usr/bin/env bash
# Installs the programs that tests hold Parley against, where that is possible: as root on Debian and its relatives.
# Elsewhere it says so; the tests then say that they are skipped.
set -euo pipefail

# Program and the Debian package that brings it.
peers=(sipp:sip-tester baresip:baresip-core kamailio:kamailio openssl:openssl tshark:tshark ffmpeg:ffmpeg)

missing=()
for peer in "${peers[@]}"; do
  command -v "${peer%%:*}" >/dev/null || missing+=("${peer##*:}")
done
if [ "${#missing[@]}" -eq 0 ]; then exit 0; fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "Not installed, and not to be installed from here (that takes root on Debian or Ubuntu): ${missing[*]}." >&2
  echo "Install these packages to run every test." >&2
  exit 0
fi
echo "Installing what tests are held against (${missing[*]}) ..."
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update -q && apt-get install -y -q --no-install-recommends "${missing[@]}"; } >/dev/null; then
  echo "Could not be installed, see above: ${missing[*]}. Their tests will say so." >&2
fi
