/** An SMTP server (RFC 5321) that keeps the mails it takes, for tests. */
import { createServer, type Socket } from "node:net";

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Headers and text, decoded if it is quoted-printable. */
  content: string;
}

export interface TestSmtpServer {
  url: string;
  mails: ReceivedMail[];
  /** Answers the next mails with this refusal instead. */
  refuseWith: (reply: string | undefined) => void;
  close: () => Promise<void>;
}

export async function startTestSmtpServer(): Promise<TestSmtpServer> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let refusal: string | undefined;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    const mail: ReceivedMail = { from: "", to: [], content: "" };
    let isData = false;
    let buffered = "";
    const answer = (reply: string): void => void socket.write(`${reply}\r\n`);
    const readLine = (line: string): void => {
      if (isData) {
        if (line !== ".") return void (mail.content += `${line}\n`);
        isData = false;
        mails.push({ ...mail, content: decode(mail.content) });
        return answer("250 queued");
      }
      const [, from] = /^MAIL FROM:<([^>]*)>/i.exec(line) ?? [];
      const [, to] = /^RCPT TO:<([^>]*)>/i.exec(line) ?? [];
      if (from !== undefined) mail.from = from;
      if (to !== undefined && refusal !== undefined) return answer(refusal);
      if (to !== undefined) mail.to.push(to);
      isData = /^DATA$/i.test(line);
      if (/^QUIT$/i.test(line)) return void socket.end("221 bye\r\n");
      answer(isData ? "354 go on" : "250 ok");
    };
    socket.on("data", (bytes) => {
      const lines = (buffered + String(bytes)).split("\r\n");
      buffered = lines.pop() ?? "";
      for (const line of lines) readLine(line);
    });
    answer("220 test");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuseWith: (reply) => void (refusal = reply),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** RFC 2045 §6.7. In text of another encoding, `token=9A` is no encoded character. */
function decode(content: string): string {
  if (!/^content-transfer-encoding: quoted-printable$/im.test(content)) return content;
  return content
    .replaceAll("=\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
