import { servePlugin } from '../../plugin-kit/node/vcp-plugin.mjs';
import { runSnippet } from './run-snippet.mjs';

/** Only the word itself switches the requirement off. */
const requireIsolation = process.env.CODE_RUNNER_REQUIRE_ISOLATION !== 'false';

const run = (command) => (args, call) => runSnippet(command, args, call, { requireIsolation });

servePlugin({ RunPython: run('RunPython'), RunJavaScript: run('RunJavaScript') });
