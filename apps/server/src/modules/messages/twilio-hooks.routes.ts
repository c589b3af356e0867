/** Requests of Twilio: inbound messages, and reports about outbound ones. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../platform/app-error.ts";
import { refuseCredential } from "../../platform/http/failed-attempts.ts";
import type {
  MessagingConnectionsService,
  SendingConnection,
} from "../messaging-connections/messaging-connections.service.ts";
import type { Twilio } from "../messaging-connections/twilio.ts";
import type { InboundMessages } from "./inbound-messages.ts";
import type { MessageSender } from "./message-sender.ts";

const FORM = "application/x-www-form-urlencoded";
/** A text of 1,600 characters, each of up to 9 characters when encoded, and the other parameters. */
const BODY_LIMIT_BYTES = 64 * 1024;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type Parameters = Readonly<Record<string, string>>;
type HookRequest = FastifyRequest<{ Params: { id: string }; Querystring: Parameters }>;

export interface TwilioHooksDependencies {
  connections: Pick<MessagingConnectionsService, "findForHook">;
  twilio: Pick<Twilio, "isSigned">;
  sender: Pick<MessageSender, "take">;
  inbound: Pick<InboundMessages, "receive">;
  /** Public URL of this server; `undefined` if none is configured. */
  publicUrl: string | undefined;
}

/** Registers the hooks. Twilio authenticates by the signature of the URL and the parameters. */
export function bindTwilioHooks(app: FastifyInstance, dependencies: TwilioHooksDependencies): void {
  const { sender, inbound } = dependencies;
  app.register(async (hooks) => {
    const options = { parseAs: "string", bodyLimit: BODY_LIMIT_BYTES } as const;
    hooks.addContentTypeParser<string>(FORM, options, (_request, body, done) => done(null, readForm(body)));
    hooks.post("/hooks/twilio/:id/messages", async (request: HookRequest, reply) => {
      const { connection, parameters } = await readHook(dependencies, request, reply);
      await inbound.receive(connection, parameters);
      // An empty answer: the reply is a message of its own.
      return await reply.type("text/xml; charset=utf-8").send("<Response/>");
    });
    hooks.post("/hooks/twilio/:id/status", async (request: HookRequest, reply) => {
      const { connection, parameters } = await readHook(dependencies, request, reply);
      const { message: messageId = "", attempt = "" } = request.query;
      const errorCode = Number(parameters["ErrorCode"] ?? Number.NaN);
      if (uuid.test(messageId))
        await sender.take({
          messageId,
          messagingConnectionId: connection.id,
          attempt: Number(attempt),
          providerMessageId: parameters["MessageSid"] ?? "",
          status: parameters["MessageStatus"] ?? "",
          errorCode: Number.isInteger(errorCode) ? errorCode : null,
        });
      return await reply.code(204).send();
    });
  });
}

/** Throws `not_found` and, if the signature is wrong, `unauthorized`. */
async function readHook(
  { connections, twilio, publicUrl }: TwilioHooksDependencies,
  request: HookRequest,
  reply: FastifyReply,
): Promise<{ connection: SendingConnection; parameters: Parameters }> {
  const { id } = request.params;
  const connection = uuid.test(id) ? await connections.findForHook(id) : undefined;
  if (connection === undefined) throw new AppError("not_found");
  const signature = request.headers["x-twilio-signature"];
  const parameters = isParameters(request.body) ? request.body : {};
  const url = `${publicUrl ?? ""}${request.url}`;
  const isSigned =
    publicUrl !== undefined &&
    typeof signature === "string" &&
    (await twilio.isSigned(connection, { signature, url, parameters }));
  if (!isSigned) {
    const message = "The X-Twilio-Signature is not that of this connection's account for this URL.";
    throw refuseCredential(request, reply, new AppError("unauthorized", { message }));
  }
  return { connection, parameters };
}

function readForm(body: string): Parameters {
  return Object.fromEntries(new URLSearchParams(body));
}

function isParameters(body: unknown): body is Parameters {
  return typeof body === "object" && body !== null;
}
