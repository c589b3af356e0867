import type { SipTrunkCheckStep } from "@parley/client";

type Step = SipTrunkCheckStep["step"];
type Problem = NonNullable<SipTrunkCheckStep["problem"]>;

export const stepNames: Readonly<Record<Step, string>> = {
  dns: "Name",
  connection: "Connection",
  tls: "Encryption",
  options: "SIP server",
  registration: "Registration",
};

/** How to mend each problem. */
export const remedies: Readonly<Record<Problem, string>> = {
  not_configured:
    "Enter the proxy address that your carrier gave you, unless the trunk is for inbound calls only.",
  transport_not_available:
    "Choose an address of the family (IPv4, IPv6) that this server has, or give the server the other one.",
  name_not_found: "Compare the proxy address with the one that your carrier gave you, letter by letter.",
  address_not_allowed:
    "Checks of private addresses are off, and calls are not affected. The operator sets PARLEY_ALLOW_PRIVATE_TRUNK_CHECKS=true to have them checked.",
  connection_refused: "Check the port, and whether the SIP server is running and listens on this transport.",
  unreachable: "Check the address, and the routes and firewalls between this server and the carrier.",
  no_answer:
    "Check the address and the port. Then check that the carrier knows this server's public address, and that no firewall drops SIP.",
  tls_failed: "Check that the port is the one for TLS (usually 5061), or choose another transport.",
  certificate_untrusted:
    "Use the name of the carrier's certificate. For a PBX with a certificate of your own, the operator adds its authority to PARLEY_SIP_TLS_CA.",
  certificate_wrong_name:
    "Set the proxy address to a name that is in the certificate, instead of an IP address.",
  credentials_refused:
    "Enter the user name and the password again, as the carrier shows them. Carriers often have others for SIP than for their website.",
  forbidden: "At the carrier, check that the account is active and accepts this server's address.",
  not_found: "Compare the user name with the one at the carrier.",
  unavailable: "The server is reached but takes no calls now. Try again later, or ask the carrier.",
  refused: "Ask the carrier for the reason, with the answer above.",
};
