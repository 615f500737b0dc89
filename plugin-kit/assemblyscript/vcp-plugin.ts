// A plugin in AssemblyScript: `export function invoke(): i32 { return serve((call) => …); }`. See docs/plugin-guide.md.
import { readInput, setError, setOutput } from './vcp-extism';
import { Json } from './vcp-json';
import { Payload } from './vcp-payload';
import { TextWriter } from './vcp-text';

export { Json, JsonType } from './vcp-json';
export { Payload, ResourceDraft, failure, partial, resourceReference, success } from './vcp-payload';
export { decodeUtf8, encodeUtf8 } from './vcp-utf8';
export {
  HostAnswer,
  fetch,
  getConfig,
  getValue,
  log,
  progress,
  readResource,
  setValue,
  writeResource,
} from './vcp-host';

/** One call: what is asked for, and of when. */
export class Call {
  /** The command, also of a tool that has only one. */
  readonly command: string;
  /** Checked against the command's `inputSchema`, with its defaults filled in. */
  readonly arguments: Json;
  /** `invocationId`, `requestId`, `source`, `actor`, `deadline` and others, as docs/plugin-guide.md lists them. */
  readonly context: Json;

  constructor(input: Json) {
    this.command = input.getString('command');
    this.arguments = input.get('arguments');
    this.context = input.get('context');
  }

  /** When the call was made, as RFC 3339 in UTC. There is no other clock. */
  get now(): string {
    return this.context.getString('now');
  }

  /** The server's time zone, such as `Europe/Berlin`. */
  get timeZone(): string {
    return this.context.getString('timeZone', 'UTC');
  }

  /** A random number of this call's own; `Math.random` starts from it. */
  get seed(): u32 {
    return <u32>this.context.getNumber('seed');
  }
}

let seedOfCall: u32 = 0;

/** Reads the call, lets the handler answer it, and hands the answer over. The value is what `invoke` has to return. */
export function serve(handler: (call: Call) => Payload): i32 {
  const call = new Call(Json.parseBytes(readInput()));
  seedOfCall = call.seed;
  const writer = new TextWriter();
  handler(call).write(writer);
  setOutput(writer.address, writer.length);
  return 0;
}

/** What `throw` and a failed `assert` come to (`vcp plugin build` sees to it): the call fails, and says where and why. */
export function abortCall(message: string | null, fileName: string | null, line: u32, column: u32): void {
  const writer = new TextWriter();
  writer.text(message === null ? 'the plugin gave up' : message);
  if (fileName !== null) writer.text(` (${fileName}:${line}:${column})`);
  setError(writer.address, writer.length);
  unreachable();
}

/** Where `Math.random` gets its start from. */
export function seedRandom(): f64 {
  return <f64>seedOfCall;
}
