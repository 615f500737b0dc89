import { programFile } from './program-file.ts';

/** The program of a receiver of callbacks: it has no plugins and hands out no documents. */
export const writeReceiverEntry = ({ root, version }: { readonly root: string; readonly version: string }): string =>
  `import { createReceiver } from ${JSON.stringify(programFile(root, 'create-receiver'))};
import { waitUntil } from 'cloudflare:workers';
export { EventObject } from ${JSON.stringify(programFile(root, 'events/event-object'))};
export default createReceiver({ version: ${JSON.stringify(version)}, waitUntil });
`;
