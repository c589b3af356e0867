import { answerOffer, UserAgent } from "../../packages/sip/src/index.ts";
import { serve } from "../support/peer.ts";
import { ADDRESS, type AnsweringMethods, AUDIO } from "./answering.ts";

/** Enough for a minute of the fastest step: a transaction stays for 32 s after its end (RFC 3261 §17). */
const MAX_TRANSACTIONS = 1_000_000;

const methods: AnsweringMethods = {
  listen: async () => {
    const userAgent = await UserAgent.listen({
      bind: { address: ADDRESS, port: 0 },
      maxTransactions: MAX_TRANSACTIONS,
      onInvite: (invite) => {
        const answer = answerOffer(invite.body, AUDIO);
        if (answer.ok) void invite.accept({ sdp: answer.sdp });
        else invite.reject(answer.status);
      },
    });
    return userAgent.address.port;
  },
};

serve(methods);
