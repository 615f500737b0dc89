import type { StoredBlob } from '../ports/resource-store.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import { describeBlob } from './describe-blob.ts';
import type { ResourceDependencies } from './resource-context.ts';
import { usableFileName } from './resource-file-name.ts';

/** What is told of bytes that somebody handed in. */
export type GivenFile = {
  readonly fileName: string | undefined;
  /** What the sender calls them; the bytes have the better word (§7.5). */
  readonly mimeType: string | null;
  /** Where they came from, such as `upload`. */
  readonly sourceType: string;
};

/** The descriptor of bytes that a caller brought, rather than a tool made: a managed resource in the role of an input. */
export const describeUpload = async (
  blob: StoredBlob,
  { fileName, mimeType, sourceType }: GivenFile,
  dependencies: Pick<ResourceDependencies, 'store' | 'ids' | 'urlOf'>,
): Promise<ResourceDescriptor> => {
  const declared = { http: mimeType, fileName: usableFileName(fileName) };
  const source = { type: sourceType, provider: null };
  const described = await describeBlob({ blob, declared }, { id: sourceType, role: 'input', source }, '', dependencies);
  return described.descriptor;
};
