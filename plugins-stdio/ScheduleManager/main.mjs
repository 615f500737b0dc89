import { servePlugin } from '../../plugin-kit/node/vcp-plugin.mjs';
import { openCommands } from './commands.mjs';
import { openScheduleStore } from './schedule-store.mjs';

servePlugin(openCommands(openScheduleStore(process.env.VCP_PLUGIN_DATA_DIR)));
