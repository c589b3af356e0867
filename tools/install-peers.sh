#!/usr/bin/env bash
# Installs the programs against which tests run Parley. Requires root on Debian or a system derived from it; otherwise prints
# a message, and the tests that need them are skipped.
set -euo pipefail

# Program and the Debian package that brings it.
peers=(sipp:sip-tester baresip:baresip-core kamailio:kamailio openssl:openssl tshark:tshark ffmpeg:ffmpeg turnserver:coturn)

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
# Kamailio's package would start a SIP server on port 5060, coturn's a TURN server, now and with the machine: only tests run them.
if [ ! -e /usr/sbin/policy-rc.d ]; then
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod +x /usr/sbin/policy-rc.d
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
fi
apt-get update -q >/dev/null || true
# One by one: a package that cannot be had keeps none of the others away.
for package in "${missing[@]}"; do
  if ! apt-get install -y -q --no-install-recommends "$package" >/dev/null; then
    echo "$package could not be installed, see above. Its tests will say so." >&2
  elif [[ "$package" = @(kamailio|coturn) ]] && command -v systemctl >/dev/null; then
    systemctl disable "$package" >/dev/null 2>&1 || true
  fi
done
