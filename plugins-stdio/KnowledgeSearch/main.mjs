import { servePlugin } from '../../plugin-kit/node/vcp-plugin.mjs';
import { commands } from './commands.mjs';
import { notesContext } from './notes-context.mjs';

// Without a handler the system ends a process that writes beyond its file size limit; with one the write fails.
process.on('SIGXFSZ', () => {});

const { KNOWLEDGE_NOTES_DIR, VCP_PLUGIN_DATA_DIR } = process.env;
const places = { notesDirectory: KNOWLEDGE_NOTES_DIR, dataDirectory: VCP_PLUGIN_DATA_DIR };

servePlugin(
  Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [
      name,
      async (args, call) => await command(await notesContext(places), args, call),
    ]),
  ),
);
