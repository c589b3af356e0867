import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import test from "node:test";
import { assertLinear, freePort, processorMs, seededRandom, waitFor } from "./index.ts";

test("random numbers are those of mulberry32, in [0, 1), and the same for the same seed", () => {
  const [random, same] = [seededRandom(42), seededRandom(42)];
  const numbers = Array.from({ length: 1_000 }, random);
  assert.deepEqual(numbers.slice(0, 3), [0.6011037519201636, 0.44829055899754167, 0.8524657934904099]);
  assert.deepEqual(numbers, Array.from({ length: 1_000 }, same));
  assert.ok(numbers.every((each) => each >= 0 && each < 1));
});

test("waiting returns the first answer, and names what did not come", async () => {
  let asked = 0;
  assert.equal(await waitFor("the third answer", () => ++asked === 3 && "here"), "here");
  assert.equal(asked, 3);
  await assert.rejects(
    waitFor("Godot", () => undefined, 1),
    /waited 1 ms in vain for Godot/,
  );
});

test("a free port is even, and both TCP and UDP can take it", async () => {
  const port = await freePort();
  assert.equal(port % 2, 0);
  await using server = createServer().listen(port, "127.0.0.1");
  await using socket = createSocket("udp4");
  socket.bind(port, "127.0.0.1");
  await Promise.all([once(server, "listening"), once(socket, "listening")]);
});

test("processes at the same time are given different ports, also after one that was killed", async () => {
  const code = `
    import { freePort } from ${JSON.stringify(new URL("./free-port.ts", import.meta.url).href)};
    const ports = [];
    for (let count = 0; count < 5; count++) ports.push(await freePort(4), await freePort());
    process.send(ports);
    setInterval(() => {}, 1000);`;
  const start = async () => {
    const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", code], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const [ports] = (await once(child, "message")) as [number[]];
    return { child, ports };
  };
  const processes = await Promise.all([start(), start(), start()]);
  const [first] = processes;
  first?.child.kill("SIGKILL");
  if (first !== undefined) await once(first.child, "exit");
  processes.push(await start());
  const taken = processes.slice(1).flatMap(({ ports }) => ports);
  assert.equal(new Set(taken).size, 30);
  const own = Array.from({ length: 5 }, async () => await freePort());
  for (const port of await Promise.all(own)) assert.ok(!taken.includes(port));
  for (const { child } of processes.slice(1)) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});

test("quadratic work is told from linear work, and by processor time alone", () => {
  const scan = (text: string): number => text.length - text.replaceAll("a", "").length;
  assertLinear("counting", (length) => "a".repeat(length), scan);
  const quadratic = (text: string): number => {
    let seen = 0;
    for (let end = 0; end < text.length; end++) {
      for (let index = 0; index < end; index += 4) seen += text.charCodeAt(index);
    }
    return seen;
  };
  assert.throws(() => assertLinear("prefixes", (length) => "a".repeat(length), quadratic, 8_000), /prefixes/);
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  assert.ok(processorMs(() => void Atomics.wait(waiting, 0, 0, 50)) < 25);
});
