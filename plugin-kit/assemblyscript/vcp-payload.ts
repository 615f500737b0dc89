import { Json } from './vcp-json';
import { writeJson } from './vcp-json-writer';
import { TextWriter } from './vcp-text';

/** The answer to a call: what `invoke` leaves behind. Made by `success`, `partial` and `failure`. */
export class Payload {
  private readonly fields: Json = Json.object();
  private readonly presentation: Json = Json.object();

  constructor(status: string, data: Json) {
    this.fields.set('status', status).set('data', data);
  }

  /** One sentence that stands for the whole. */
  summary(text: string): this {
    return this.present('summary', text);
  }

  title(text: string): this {
    return this.present('title', text);
  }

  /** Something that the reader should know; `partial` needs at least one. */
  warn(code: string, message: string): this {
    return this.add('warnings', Json.object().set('code', code).set('message', message));
  }

  /** A file that the plugin wrote. `data` refers to it by `resourceReference(id)`. */
  resource(draft: ResourceDraft): this {
    return this.add('resources', draft.toJson());
  }

  /** The file that matters most, by the id of its draft. */
  primaryResource(id: string): this {
    return this.present('primaryResourceId', id);
  }

  /** What a model should do with the answer, and with which files, by the ids of their drafts; `intent` as the protocol has them. */
  advise(intent: string, message: string, resourceIds: Array<string> | null = null): this {
    const advice = Json.object().set('intent', intent).set('message', message);
    if (resourceIds !== null) advice.set('resourceIds', resourceIds);
    this.fields.set('aiAdvice', advice);
    return this;
  }

  /** Any other field of the protocol, such as `extensions`. */
  field(name: string, value: Json): this {
    this.fields.set(name, value);
    return this;
  }

  write(writer: TextWriter): void {
    if (this.presentation.length > 0) this.fields.set('presentation', this.presentation);
    writeJson(writer, this.fields);
  }

  private present(name: string, text: string): this {
    this.presentation.set(name, text);
    return this;
  }

  private add(list: string, value: Json): this {
    if (!this.fields.has(list)) this.fields.set(list, Json.array());
    this.fields.get(list).push(value);
    return this;
  }
}

export function success(data: Json): Payload {
  return new Payload('success', data);
}

/** Some of it failed: `data` holds the rest, and `warn` says what is missing. */
export function partial(data: Json): Payload {
  return new Payload('partial', data);
}

/** A failure that was to be expected. `target` is the argument at fault, as a dotted path; empty for none. */
export function failure(code: string, message: string, target: string = ''): Payload {
  const error = Json.object().set('code', code).set('message', message);
  if (target.length > 0) error.set('target', target);
  return new Payload('error', Json.null()).field('error', error);
}

/** A file among the results: `id` is the plugin's name for it, `resourceId` what `writeResource` answered. */
export class ResourceDraft {
  private readonly fields: Json = Json.object();

  constructor(id: string, resourceId: string) {
    this.fields.set('id', id).set('resourceId', resourceId);
  }

  /** `image`, `audio`, `video`, `document`, `archive`, `text`, `binary` or `other`; found out when not said. */
  kind(kind: string): this {
    return this.field('kind', kind);
  }

  /** `output` when not said. */
  role(role: string): this {
    return this.field('role', role);
  }

  fileName(name: string): this {
    return this.field('fileName', name);
  }

  field(name: string, value: string): this {
    this.fields.set(name, value);
    return this;
  }

  toJson(): Json {
    return this.fields;
  }
}

/** What stands in `data` where a file belongs. */
export function resourceReference(id: string): Json {
  return Json.object().set('$resource', id);
}
