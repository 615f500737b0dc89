// The thread that draws: an own heap, and an own end when a call is given up.
import { parentPort } from 'node:worker_threads';
import { ChartFault } from './chart-fault.mjs';
import { makeChart } from './make-chart.mjs';

parentPort.on('message', ({ kind, args }) => {
  makeChart(kind, args).then(
    (chart) => parentPort.postMessage({ chart }, [chart.png.buffer]),
    (error) => {
      const isFault = error instanceof ChartFault;
      const { code, message, target, details } = error;
      parentPort.postMessage(isFault ? { fault: { code, message, target, details } } : { error }, []);
    },
  );
});
