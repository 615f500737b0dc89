import { availableParallelism, cpus } from 'node:os';

/** The day and the machine, for the line below a table. */
export function describeMachine(): string {
  const date = new Date().toISOString().slice(0, 10);
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores`;
  return `${date}, ${machine}, Node ${process.versions.node}, ${process.platform}`;
}
