import process from 'node:process';
import type { ResultView } from '../../../src/protocol/invocation.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { UsageError } from './exit.ts';

export type ResultsOptions = ConnectOptions & {
  readonly view: ResultView;
  readonly pointer?: string;
  readonly offset?: string;
  readonly limit?: string;
};

/** `vcp results <id>`: a stored result in any view; with `--pointer`, a page of one part of it. */
export const resultsCommand = async (id: string, options: ResultsOptions): Promise<void> => {
  const { view, pointer } = options;
  const offset = wholeNumber('--offset', options.offset);
  const limit = wholeNumber('--limit', options.limit);
  const found = await connect(options).getResult(id, {
    view,
    ...(pointer === undefined ? {} : { pointer }),
    ...(offset === undefined ? {} : { offset }),
    ...(limit === undefined ? {} : { limit }),
  });
  const isText = view === 'ai' && pointer === undefined;
  process.stdout.write(isText ? `${(found as { text: string }).text}\n` : `${JSON.stringify(found, null, 2)}\n`);
};

const wholeNumber = (option: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`${option} is a whole number`);
  return Number(text);
};
