import { servePlugin } from '../../plugin-kit/node/vcp-plugin.mjs';
import { createArchive } from './create-archive.mjs';

servePlugin({ Create: (args, call) => call.inBackground((job) => createArchive(args, job)) });
