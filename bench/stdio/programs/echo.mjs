import { servePlugin } from '../../../plugin-kit/node/vcp-plugin.mjs';
import { echo } from '../../http-call/plugins/BenchEcho/bench-echo.mjs';

servePlugin({ Echo: (args) => ({ data: echo(args) }) });
