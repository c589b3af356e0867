/** STUN (RFC 8489) as far as ICE uses it (RFC 8445): Binding, with short-term credentials and FINGERPRINT. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { parseIpAddress, type TransportAddress, writeIpAddress } from "./transport-address.ts";

type StunClass = "request" | "indication" | "success" | "error";

/** A Binding message with the attributes that ICE uses. */
export interface StunMessage {
  class: StunClass;
  /** 12 bytes. */
  transactionId: Buffer;
  username?: string;
  /** 32 bits. */
  priority?: number;
  /** USE-CANDIDATE: the sender nominates the pair. */
  useCandidate?: boolean;
  /** ICE-CONTROLLING or ICE-CONTROLLED: the sender's 64-bit tie-breaker. */
  controlling?: bigint;
  controlled?: bigint;
  /** XOR-MAPPED-ADDRESS: source address of the request. */
  mappedAddress?: TransportAddress;
  /** 300–699. */
  errorCode?: number;
  /** UNKNOWN-ATTRIBUTES of a 420 error. */
  unknownAttributes?: readonly number[];
}

export interface ReceivedStunMessage extends StunMessage {
  /** Comprehension-required attributes that are unknown (RFC 8489 §14). */
  notUnderstood: readonly number[];
  /** Whether MESSAGE-INTEGRITY is present and matches this password. */
  isAuthentic: (password: string) => boolean;
}

const HEADER_BYTES = 20;
const MAGIC_COOKIE = 0x2112a442;
const BINDING = 0x001;
const FINGERPRINT_XOR = 0x5354554e;
const INTEGRITY_BYTES = 20;
/** Bytes of an attribute's type and length. */
const ATTRIBUTE_HEADER_BYTES = 4;
/** First comprehension-optional attribute (RFC 8489 §14). */
const FIRST_OPTIONAL_ATTRIBUTE = 0x8000;

const attributes = {
  username: 0x0006,
  messageIntegrity: 0x0008,
  errorCode: 0x0009,
  unknownAttributes: 0x000a,
  xorMappedAddress: 0x0020,
  priority: 0x0024,
  useCandidate: 0x0025,
  fingerprint: 0x8028,
  controlled: 0x8029,
  controlling: 0x802a,
} as const;
/** Bits C1 and C0 of the message type (RFC 8489 §5). */
const classBits = { request: 0x000, indication: 0x010, success: 0x100, error: 0x110 } as const;
const classesByBits = new Map<number, StunClass>([
  [classBits.request, "request"],
  [classBits.indication, "indication"],
  [classBits.success, "success"],
  [classBits.error, "error"],
]);

/** Whether a datagram on a port shared with DTLS and SRTP is STUN (RFC 7983 §7). */
export function isStun(datagram: Uint8Array): boolean {
  return (datagram[0] ?? 0xff) <= 3;
}

/** `undefined` if the datagram is not a Binding message, is malformed, or lacks a correct FINGERPRINT. */
export function parseStun(bytes: Uint8Array): ReceivedStunMessage | undefined {
  const datagram = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isFramed =
    datagram.length >= HEADER_BYTES &&
    datagram.length % 4 === 0 &&
    datagram.readUInt16BE(2) === datagram.length - HEADER_BYTES &&
    datagram.readUInt32BE(4) === MAGIC_COOKIE;
  if (!isFramed) return undefined;
  const type = datagram.readUInt16BE(0);
  const stunClass = classesByBits.get(type & 0x110);
  if (stunClass === undefined || (type & ~0x110) !== BINDING) return undefined;
  const found = readAttributes(datagram);
  if (found === undefined || !isFingerprintRight(datagram, found)) return undefined;
  const integrityAt = found.get(attributes.messageIntegrity)?.offset;
  const message: StunMessage = { class: stunClass, transactionId: datagram.subarray(8, HEADER_BYTES) };
  const understood = new Set<number>(Object.values(attributes));
  const notUnderstood: number[] = [];
  for (const [attribute, { offset, value }] of found) {
    // Attributes after MESSAGE-INTEGRITY are unauthenticated (RFC 8489 §14.5).
    if (integrityAt !== undefined && offset > integrityAt) continue;
    if (!understood.has(attribute)) {
      if (attribute < FIRST_OPTIONAL_ATTRIBUTE) notUnderstood.push(attribute);
    } else if (!readInto(message, attribute, value)) return undefined;
  }
  return {
    ...message,
    notUnderstood,
    isAuthentic: (password) => integrityAt !== undefined && isIntact(datagram, integrityAt, password),
  };
}

/** Writes a message with MESSAGE-INTEGRITY for this password, and FINGERPRINT. */
export function writeStun(message: StunMessage, password: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(BINDING | classBits[message.class], 0);
  header.writeUInt32BE(MAGIC_COOKIE, 4);
  message.transactionId.copy(header, 8);
  const parts = [header, ...writeAttributes(message)];
  const unsigned = Buffer.concat(parts);
  const integrity = integrityOf(unsigned, password);
  const signed = Buffer.concat([unsigned, attributeOf(attributes.messageIntegrity, integrity)]);
  const fingerprint = Buffer.alloc(4);
  fingerprint.writeUInt32BE(fingerprintOf(signed));
  const datagram = Buffer.concat([signed, attributeOf(attributes.fingerprint, fingerprint)]);
  datagram.writeUInt16BE(datagram.length - HEADER_BYTES, 2);
  return datagram;
}

/** First attribute of each type with the offset of its header; `undefined` if one exceeds the datagram. */
function readAttributes(datagram: Buffer): Map<number, { offset: number; value: Buffer }> | undefined {
  const found = new Map<number, { offset: number; value: Buffer }>();
  let offset = HEADER_BYTES;
  while (offset < datagram.length) {
    const type = datagram.readUInt16BE(offset);
    const start = offset + ATTRIBUTE_HEADER_BYTES;
    const end = start + datagram.readUInt16BE(offset + 2);
    if (end > datagram.length) return undefined;
    if (!found.has(type)) found.set(type, { offset, value: datagram.subarray(start, end) });
    offset = start + paddedLength(end - start);
  }
  return found;
}

/** Returns false if the value is malformed. */
function readInto(message: StunMessage, attribute: number, value: Buffer): boolean {
  switch (attribute) {
    case attributes.username:
      message.username = value.toString();
      return true;
    case attributes.priority:
      if (value.length !== 4) return false;
      message.priority = value.readUInt32BE();
      return true;
    case attributes.useCandidate:
      message.useCandidate = true;
      return true;
    case attributes.controlling:
    case attributes.controlled:
      if (value.length !== 8) return false;
      message[attribute === attributes.controlling ? "controlling" : "controlled"] = value.readBigUInt64BE();
      return true;
    case attributes.xorMappedAddress: {
      const mappedAddress = readMappedAddress(value, message.transactionId);
      if (mappedAddress === undefined) return false;
      message.mappedAddress = mappedAddress;
      return true;
    }
    case attributes.errorCode:
      if (value.length < 4) return false;
      message.errorCode = (value.readUInt8(2) & 7) * 100 + value.readUInt8(3);
      return true;
    default:
      return true;
  }
}

function writeAttributes(message: StunMessage): Buffer[] {
  const { username, priority, useCandidate, controlling, controlled, mappedAddress, errorCode } = message;
  const written: Buffer[] = [];
  const add = (type: number, value: Buffer): number => written.push(attributeOf(type, value));
  if (username !== undefined) add(attributes.username, Buffer.from(username));
  if (priority !== undefined) add(attributes.priority, unsigned(priority, 4));
  if (controlling !== undefined) add(attributes.controlling, unsigned(controlling, 8));
  if (controlled !== undefined) add(attributes.controlled, unsigned(controlled, 8));
  if (useCandidate === true) add(attributes.useCandidate, Buffer.alloc(0));
  if (mappedAddress !== undefined)
    add(attributes.xorMappedAddress, writeMappedAddress(mappedAddress, message.transactionId));
  if (errorCode !== undefined)
    add(attributes.errorCode, Buffer.from([0, 0, Math.floor(errorCode / 100), errorCode % 100]));
  if (message.unknownAttributes !== undefined)
    add(
      attributes.unknownAttributes,
      Buffer.concat(message.unknownAttributes.map((each) => unsigned(each, 2))),
    );
  return written;
}

function attributeOf(type: number, value: Buffer): Buffer {
  const attribute = Buffer.alloc(ATTRIBUTE_HEADER_BYTES + paddedLength(value.length));
  attribute.writeUInt16BE(type, 0);
  attribute.writeUInt16BE(value.length, 2);
  value.copy(attribute, ATTRIBUTE_HEADER_BYTES);
  return attribute;
}

function paddedLength(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function unsigned(value: number | bigint, bytes: 2 | 4 | 8): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer.subarray(8 - bytes);
}

/** Encodes or decodes an XOR-MAPPED-ADDRESS (RFC 8489 §14.2). */
function xorAddress(address: Buffer, transactionId: Buffer): Buffer {
  const mask = Buffer.concat([unsigned(MAGIC_COOKIE, 4), transactionId]);
  return Buffer.from(address.map((byte, index) => byte ^ (mask[index] ?? 0)));
}

function readMappedAddress(value: Buffer, transactionId: Buffer): TransportAddress | undefined {
  if (value.length !== 8 && value.length !== 20) return undefined;
  if (value.readUInt8(1) !== (value.length === 8 ? 1 : 2)) return undefined;
  const port = value.readUInt16BE(2) ^ (MAGIC_COOKIE >>> 16);
  return { address: writeIpAddress(xorAddress(value.subarray(4), transactionId)), port };
}

function writeMappedAddress({ address, port }: TransportAddress, transactionId: Buffer): Buffer {
  const bytes = parseIpAddress(address);
  return Buffer.concat([
    Buffer.from([0, bytes.length === 4 ? 1 : 2]),
    unsigned(port ^ (MAGIC_COOKIE >>> 16), 2),
    xorAddress(bytes, transactionId),
  ]);
}

/** MESSAGE-INTEGRITY over all preceding bytes, with the length as if it were the last attribute (RFC 8489 §14.5). */
function integrityOf(before: Buffer, password: string): Buffer {
  const text = Buffer.from(before);
  text.writeUInt16BE(before.length - HEADER_BYTES + ATTRIBUTE_HEADER_BYTES + INTEGRITY_BYTES, 2);
  return createHmac("sha1", password).update(text).digest();
}

function isIntact(datagram: Buffer, integrityAt: number, password: string): boolean {
  const start = integrityAt + ATTRIBUTE_HEADER_BYTES;
  const given = datagram.subarray(start, start + datagram.readUInt16BE(integrityAt + 2));
  const right = integrityOf(datagram.subarray(0, integrityAt), password);
  return given.length === right.length && timingSafeEqual(given, right);
}

/** FINGERPRINT over all preceding bytes, with its own length included (RFC 8489 §14.7). */
function fingerprintOf(before: Buffer): number {
  const text = Buffer.from(before);
  text.writeUInt16BE(before.length - HEADER_BYTES + ATTRIBUTE_HEADER_BYTES + 4, 2);
  return (crc32(text) ^ FINGERPRINT_XOR) >>> 0;
}

function isFingerprintRight(
  datagram: Buffer,
  found: ReadonlyMap<number, { offset: number; value: Buffer }>,
): boolean {
  const fingerprint = found.get(attributes.fingerprint);
  if (fingerprint?.value.length !== 4) return false;
  const isLast = fingerprint.offset + ATTRIBUTE_HEADER_BYTES + 4 === datagram.length;
  return (
    isLast && fingerprint.value.readUInt32BE() === fingerprintOf(datagram.subarray(0, fingerprint.offset))
  );
}
