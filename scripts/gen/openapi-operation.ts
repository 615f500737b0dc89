import type { z } from 'zod';

/** A schema among the components of the document, by its name. */
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The content of a body that is JSON. */
export const json = (schema: object) => ({ 'application/json': schema });

/** One operation of the HTTP surface, as the OpenAPI document describes it. */
export type Operation = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly open?: true;
  /** Who may, where it is no key of the server. */
  readonly security?: 'callback';
  /** The schema that the route itself validates its query with. */
  readonly query?: z.ZodObject;
  /** Headers that the operation reads beside the usual ones. */
  readonly headers?: readonly object[];
  readonly body?: Readonly<Record<string, object>>;
  readonly isBodyOptional?: true;
  /** 200 unless it is said. */
  readonly status?: number;
  readonly answer: Answer;
  /** Answers of other statuses that are no problems. */
  readonly others?: Readonly<Record<number, Answer>>;
  /** The component that describes its problems, where it is not `Problem`. */
  readonly problemSchema?: string;
  readonly problems: readonly number[];
  /** What an upstream answers with any other status, where it is passed on. */
  readonly relayed?: Answer;
};

export type Answer = {
  readonly description: string;
  readonly content: Readonly<Record<string, object>>;
  readonly headers?: Readonly<Record<string, object>>;
};
