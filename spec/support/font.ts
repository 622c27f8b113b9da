// The characters that a font file can draw, read from its own `cmap` table, so that no list has to be kept beside the fonts. (OpenType,
// "cmap", formats 4 and 12; WOFF File Format 2.0, sections 4 and 5)
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

/** The characters of a font in TrueType's or OpenType's own format, or in WOFF2. */
export function charactersOf(file: URL): Set<string> {
  const bytes = readFileSync(file);
  const table = bytes.toString("latin1", 0, 4) === "wOF2" ? tableInWoff2(bytes) : tableInOpenType(bytes);
  const characters = new Set<string>();
  for (let nth = 0; nth < table.readUInt16BE(2); nth += 1) {
    const part = table.subarray(table.readUInt32BE(8 + 8 * nth));
    const format = part.readUInt16BE(0);
    const codes = format === 4 ? codesInFormat4(part) : format === 12 ? codesInFormat12(part) : [];
    for (const code of codes) characters.add(String.fromCodePoint(code));
  }
  if (characters.size === 0)
    throw new Error(`The font ${file} has its characters in no format that is read here.`);
  return characters;
}

function tableInOpenType(bytes: Buffer): Buffer {
  const records = Array.from({ length: bytes.readUInt16BE(4) }, (_, nth) => bytes.subarray(12 + 16 * nth));
  const record = records.find((one) => one.toString("latin1", 0, 4) === "cmap") as Buffer;
  return bytes.subarray(record.readUInt32BE(8), record.readUInt32BE(8) + record.readUInt32BE(12));
}

/** The tables stand behind one another in one Brotli stream, in the order of the directory. The known tag 0 is `cmap`. */
function tableInWoff2(bytes: Buffer): Buffer {
  let at = 48;
  const readNumber = () => {
    let value = 0;
    for (let byte = 0x80; byte & 0x80; at += 1) {
      byte = bytes.readUInt8(at);
      value = value * 128 + (byte & 0x7f);
    }
    return value;
  };
  let offset = 0;
  let found: [from: number, to: number] = [0, 0];
  for (let nth = 0; nth < bytes.readUInt16BE(12); nth += 1) {
    const flags = bytes.readUInt8(at);
    const tag = flags & 0x3f;
    at += tag === 0x3f ? 5 : 1;
    const length = readNumber();
    const version = flags >> 6;
    // 10 and 11 are `glyf` and `loca`, whose version 3 means "not transformed"; for all others that is 0.
    const isTransformed = tag === 10 || tag === 11 ? version !== 3 : version !== 0;
    const stored = isTransformed ? readNumber() : length;
    if (tag === 0) found = [offset, offset + stored];
    offset += stored;
  }
  const stream = bytes.subarray(at, at + bytes.readUInt32BE(20));
  return brotliDecompressSync(stream).subarray(...found);
}

function codesInFormat4(part: Buffer): number[] {
  const size = part.readUInt16BE(6);
  const read = (list: number, nth: number) => part.readUInt16BE(list + 2 * nth);
  const [ends, starts, deltas, ranges] = [14, 16 + size, 16 + 2 * size, 16 + 3 * size] as const;
  const codes: number[] = [];
  for (let nth = 0; nth < size / 2; nth += 1) {
    for (let code = read(starts, nth); code <= read(ends, nth) && code < 0xffff; code += 1) {
      const range = read(ranges, nth);
      const glyph = range === 0 ? code : read(ranges + 2 * nth + range, code - read(starts, nth));
      if (glyph !== 0 && ((glyph + read(deltas, nth)) & 0xffff) !== 0) codes.push(code);
    }
  }
  return codes;
}

function codesInFormat12(part: Buffer): number[] {
  return Array.from({ length: part.readUInt32BE(12) }, (_, nth) => {
    const [first, last] = [part.readUInt32BE(16 + 12 * nth), part.readUInt32BE(20 + 12 * nth)];
    return Array.from({ length: last - first + 1 }, (_, after) => first + after);
  }).flat();
}
