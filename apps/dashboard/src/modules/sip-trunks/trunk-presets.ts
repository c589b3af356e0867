import type { TrunkValues } from "./use-trunk-form.ts";

export interface TrunkPreset {
  id: string;
  name: string;
  summary: string;
  /** Fields that differ from the defaults. */
  values: Partial<TrunkValues>;
  /** An example of the address, if everybody has another. */
  addressExample: string;
  /** What to do at the carrier or PBX, in order. */
  steps: readonly string[];
}

/** Settings by the documentation of the carriers and PBXs; docs/guides has the whole of each. */
export const trunkPresets: readonly TrunkPreset[] = [
  {
    id: "twilio",
    name: "Twilio",
    summary: "Elastic SIP Trunking",
    values: { friendlyName: "Twilio", allowedAddresses: ["54.172.60.0/30", "54.244.51.0/30"] },
    addressExample: "example.pstn.twilio.com",
    steps: [
      "In Twilio's console, under Elastic SIP Trunking, create a trunk.",
      "Termination: choose a name. It is the proxy address below. Add a credential list with a user name and a password.",
      "Origination: add sip:, the public address of this server, and :5060.",
      "Numbers: assign your numbers to the trunk.",
      "Allowed addresses: below are those of Twilio's regions Virginia and Oregon. For another region, enter those that the console shows under Networking info.",
    ],
  },
  {
    id: "telnyx",
    name: "Telnyx",
    summary: "SIP connection with credentials",
    values: { friendlyName: "Telnyx", proxyAddress: "sip.telnyx.com", isRegistrationRequired: true },
    addressExample: "sip.telnyx.com",
    steps: [
      "In Telnyx's portal, under Voice › SIP Trunking, create a SIP connection with credentials as its authentication.",
      "Let it send calls to the registered device, with numbers in E.164 with a plus sign.",
      "Create an outbound voice profile with the countries that your agents call, and assign it to the connection.",
      "Assign your numbers to the connection.",
      "In Europe, use sip.telnyx.eu as the proxy address.",
    ],
  },
  {
    id: "asterisk",
    name: "Asterisk",
    summary: "PBX with chan_pjsip",
    values: { friendlyName: "Asterisk", transport: "udp" },
    addressExample: "192.168.1.10:5060",
    steps: [
      "In pjsip.conf, add an endpoint with an aor whose contact is sip:, the address of this server, and :5060, and an identify section that matches this server's address.",
      "Allow the codecs g722, ulaw and alaw, and set dtmf_mode to rfc4733.",
      "In extensions.conf, send an extension to the agent: Dial(PJSIP/+12025550143@parley), with the number that you bind to it.",
      "In the endpoint's context, allow only the extensions and numbers that agents may call.",
    ],
  },
  {
    id: "freeswitch",
    name: "FreeSWITCH",
    summary: "PBX, profile external",
    values: { friendlyName: "FreeSWITCH", transport: "udp" },
    addressExample: "192.168.1.10:5080",
    steps: [
      "In sip_profiles/external, add a gateway whose proxy is the address of this server with :5060, and set register to false.",
      "In the dialplan, bridge an extension to sofia/gateway/parley/+12025550143, with the number that you bind to the agent.",
      "In the context public, allow only this server's address, and only the extensions that agents may call.",
      "In fs_cli, run reloadxml and sofia profile external rescan.",
    ],
  },
  {
    id: "registration",
    name: "Carrier with a registration",
    summary: "A user name and a password",
    values: { isRegistrationRequired: true },
    addressExample: "sip.carrier.example",
    steps: [
      "From your carrier you need a registrar or proxy, a user name and a password.",
      "Parley registers there like a telephone. No port has to be opened for SIP.",
    ],
  },
  {
    id: "other",
    name: "Another carrier or PBX",
    summary: "By its IP addresses",
    values: {},
    addressExample: "sip.carrier.example:5060",
    steps: [
      "Send calls to the address of this server, port 5060 (TLS: 5061), with numbers in E.164.",
      "Enter the addresses from which calls come, if they are not those of the proxy.",
    ],
  },
];
