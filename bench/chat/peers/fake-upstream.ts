// Streams the same answer to every request, in OpenAI's words, each piece as soon as the one before it is out.
import { createServer } from 'node:http';
import { PIECES, pieceOf } from '../answer.ts';

const chunk = (delta: object, finish: string | null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'bench',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

const events = [
  chunk({ role: 'assistant', content: '' }, null),
  ...Array.from({ length: PIECES }, (_, index) => chunk({ content: pieceOf(index) }, null)),
  chunk({}, 'stop'),
  'data: [DONE]\n\n',
];

createServer((request, response) => {
  if (request.url === '/healthz') {
    response.end('ok');
    return;
  }
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.socket?.setNoDelay(true);
    let at = 0;
    const next = (): void => {
      if (at === events.length) {
        response.end();
        return;
      }
      response.write(events[at]);
      at += 1;
      setImmediate(next);
    };
    next();
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
