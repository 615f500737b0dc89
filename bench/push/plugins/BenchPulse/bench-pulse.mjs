const TEXT = 'A message of about the size that news of a running task has. '.repeat(3);
let timer;
let number = 0;

export const initialize = ({ config, push }) => {
  const everyMs = Number(config.PULSE_MS);
  const began = performance.now();
  timer = setInterval(() => {
    // A timer that comes late is made good: the pace is that of the clock.
    while (number * everyMs < performance.now() - began) {
      number += 1;
      push('pulse', { number, at: performance.timeOrigin + performance.now(), text: TEXT });
    }
  }, everyMs);
};

export const shutdown = () => clearInterval(timer);
