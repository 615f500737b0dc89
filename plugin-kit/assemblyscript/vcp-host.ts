import { blockOf, freeBlock, takeBlock, Block } from './vcp-extism';
import { Json } from './vcp-json';
import { writeJson } from './vcp-json-writer';
import { failure, Payload } from './vcp-payload';
import { TextWriter } from './vcp-text';

// @ts-ignore: decorator
@external('extism:host/user', 'resource_write')
declare function resourceWrite(request: Block, bytes: Block): Block;
// @ts-ignore: decorator
@external('extism:host/user', 'resource_read')
declare function resourceRead(request: Block): Block;
// @ts-ignore: decorator
@external('extism:host/user', 'progress')
declare function hostProgress(request: Block): Block;
// @ts-ignore: decorator
@external('extism:host/user', 'log')
declare function hostLog(request: Block): Block;
// @ts-ignore: decorator
@external('extism:host/user', 'config_get')
declare function configGet(request: Block): Block;
// @ts-ignore: decorator
@external('extism:host/user', 'kv_get')
declare function kvGet(request: Block): Block;
// @ts-ignore: decorator
@external('extism:host/user', 'kv_set')
declare function kvSet(request: Block): Block;
// @ts-ignore: decorator
@external('extism:host/user', 'http_request')
declare function httpRequest(request: Block, body: Block): Block;

/** What a host function answered: a value and perhaps bytes, or why there is none. */
export class HostAnswer {
  constructor(
    public readonly value: Json,
    public readonly bytes: Uint8Array,
    /** Empty when all is well; `FORBIDDEN` when the manifest's `permissions` do not grant the function. */
    public readonly code: string,
    public readonly message: string,
  ) {}

  get failed(): bool {
    return this.code.length > 0;
  }

  /** The same failure as the plugin's own answer. */
  toFailure(): Payload {
    return failure(this.code, this.message);
  }
}

/** Stores bytes as a file. The value has `resourceId`, for a `ResourceDraft`. Needs `"resources": ["write"]`. */
export function writeResource(bytes: Uint8Array, fileName: string = '', mimeType: string = ''): HostAnswer {
  const request = Json.object();
  if (fileName.length > 0) request.set('fileName', fileName);
  if (mimeType.length > 0) request.set('mimeType', mimeType);
  const asked = blockOfJson(request);
  const data = blockOf(bytes.dataStart, bytes.length);
  const answer = resourceWrite(asked, data);
  freeBlock(data);
  return answerOf(asked, answer);
}

/**
 * Reads of a resource `length` bytes from `offset` on, as far as there are; all when `length` is negative. The value has
 * `size`, `mimeType`, `fileName` and `offset`. Needs `"resources": ["read"]`.
 */
export function readResource(resourceId: string, offset: f64 = 0, length: f64 = -1): HostAnswer {
  const request = Json.object().set('resourceId', resourceId).set('offset', offset);
  if (length >= 0) request.set('length', length);
  const asked = blockOfJson(request);
  return answerOf(asked, resourceRead(asked));
}

/** Says how far the call is, from 0 to 1. Needs `"progress": true`. */
export function progress(done: f64, message: string = '', stage: string = ''): HostAnswer {
  const request = Json.object().set('progress', done);
  if (message.length > 0) request.set('message', message);
  if (stage.length > 0) request.set('stage', stage);
  const asked = blockOfJson(request);
  return answerOf(asked, hostProgress(asked));
}

/** Writes to the server's log; `level` is `debug`, `info`, `warning` or `error`. Needs `"log": true`. */
export function log(level: string, message: string): HostAnswer {
  const asked = blockOfJson(Json.object().set('level', level).set('message', message));
  return answerOf(asked, hostLog(asked));
}

/** A value of the plugin's configuration: the answer's value is `{value}`, a string or JSON null. Needs the key in `config`. */
export function getConfig(key: string): HostAnswer {
  const asked = blockOfJson(Json.object().set('key', key));
  return answerOf(asked, configGet(asked));
}

/** What the plugin kept under a key: the answer's value is `{value}`, with JSON null for nothing. Needs `kv`. */
export function getValue(key: string): HostAnswer {
  const asked = blockOfJson(Json.object().set('key', key));
  return answerOf(asked, kvGet(asked));
}

/** Keeps a value for later calls; JSON null deletes it. Needs `kv`. */
export function setValue(key: string, value: Json): HostAnswer {
  const asked = blockOfJson(Json.object().set('key', key).set('value', value));
  return answerOf(asked, kvSet(asked));
}

/** Asks a web server. The value has `status`, `url` and `headers`; `bytes` are the body. Needs `http`. */
export function fetch(url: string, method: string = 'GET', headers: Json | null = null, body: Uint8Array | null = null): HostAnswer {
  const request = Json.object().set('url', url).set('method', method);
  if (headers !== null) request.set('headers', headers);
  const asked = blockOfJson(request);
  const sent: Block = body === null ? 0 : blockOf(body.dataStart, body.length);
  const answer = httpRequest(asked, sent);
  freeBlock(sent);
  return answerOf(asked, answer);
}

function blockOfJson(request: Json): Block {
  const writer = new TextWriter();
  writeJson(writer, request);
  return blockOf(writer.address, writer.length);
}

function answerOf(asked: Block, answer: Block): HostAnswer {
  freeBlock(asked);
  const json = Json.parseBytes(takeBlock(answer));
  const error = json.get('error');
  if (!error.isNull) {
    return new HostAnswer(Json.null(), new Uint8Array(0), error.getString('code'), error.getString('message'));
  }
  const place = json.get('bytes');
  const bytes = place.isNull
    ? new Uint8Array(0)
    : takeBlock(<u64>place.getNumber('block'), <i32>place.getNumber('length'));
  return new HostAnswer(json.get('ok'), bytes, '', '');
}
