import { readConstantExpression } from './constant-expression.ts';
import { noteFunctionReference, readFunctionReference } from './function-reference.ts';
import type { ReadSection } from './module-shape.ts';
import { readReferenceType, readValueType } from './value-type.ts';

/** Exports that begin so are ours; a module that has one could pretend to be metered. */
export const RESERVED_PREFIX = '__vcp_';

export const readGlobals: ReadSection = (reader, { shape, count, references }) => {
  for (let left = count; left > 0; left -= 1) {
    readValueType(reader);
    const start = reader.at;
    if (reader.u8() > 1) reader.refuse('a shared global is not supported; build without threads', start);
    readConstantExpression(reader, shape, references);
    // Only now: an expression may name the globals before its own.
    shape.globals += 1;
  }
};

export const readExports: ReadSection = (reader, { shape, count, references }) => {
  for (let left = count; left > 0; left -= 1) {
    const start = reader.at;
    const name = reader.name();
    if (name.startsWith(RESERVED_PREFIX)) {
      reader.refuse(
        `exports ${JSON.stringify(name)}; names that begin with ${RESERVED_PREFIX} are the sandbox's`,
        start,
      );
    }
    shape.exports.push(name);
    const kind = reader.u8();
    if (kind === 0) noteFunctionReference(reader, shape, references);
    else {
      const index = reader.u32();
      const known = [0, shape.tables.length, shape.memory === null ? 0 : 1, shape.globals][kind] ?? 0;
      if (index >= known)
        reader.refuse(`exports ${JSON.stringify(name)}, which does not exist or is not supported`, start);
    }
  }
};

export const readElements: ReadSection = (reader, { shape, rules, count, references }) => {
  let all = 0;
  for (let left = count; left > 0; left -= 1) {
    const start = reader.at;
    const flags = reader.u32();
    if (flags > 7) reader.refuse('unknown kind of element segment', start);
    const active = (flags & 1) === 0;
    const withExpressions = (flags & 4) !== 0;
    if (active && (flags & 2) !== 0) reader.u32(); // the table; the engine checks that it exists
    if (active) readConstantExpression(reader, shape, references);
    if ((flags & 3) !== 0) {
      if (withExpressions) readReferenceType(reader);
      else if (reader.u8() !== 0) reader.refuse('unknown kind of elements', start);
    }
    const size = reader.count(reader.end - reader.at, 'elements');
    all += size;
    if (all > rules.elements) reader.refuse(`more than ${rules.elements} elements in all segments`, start);
    shape.elementSegments.push(size);
    for (let items = size; items > 0; items -= 1) {
      if (withExpressions) readConstantExpression(reader, shape, references);
      else noteFunctionReference(reader, shape, references);
    }
  }
};

export const readData: ReadSection = (reader, { shape, count, references }) => {
  for (let left = count; left > 0; left -= 1) {
    const start = reader.at;
    const flags = reader.u32();
    if (flags === 2) reader.refuse('several memories are not supported', start);
    if (flags > 1) reader.refuse('unknown kind of data segment', start);
    if (flags === 0) readConstantExpression(reader, shape, references);
    reader.skip(reader.u32());
  }
};

export const readStart: ReadSection = (reader, { shape }) => {
  shape.start = readFunctionReference(reader, shape).index;
};

/** Only finds the bodies. They are read one by one when they are rewritten. */
export const readBodies: ReadSection = (reader, { shape, rules, count }) => {
  for (let left = count; left > 0; left -= 1) {
    const start = reader.at;
    const size = reader.u32();
    if (size > rules.functionBytes) {
      const index = shape.imported.length + shape.bodies.length;
      reader.refuse(
        `function ${index} has ${size} bytes; at most ${rules.functionBytes} are accepted: split it, or let the compiler inline less`,
        start,
      );
    }
    const first = reader.at;
    reader.skip(size);
    shape.bodies.push({ start: first, end: reader.at });
  }
};
