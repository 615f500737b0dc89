import type { VcpEvent } from '../../../src/protocol/event.ts';
import { printable, type Paint } from './terminal.ts';

/** An event as one line for people: when, what, about which tool, and what is to be said of it. */
export const describeEvent = (event: VcpEvent, paint: Paint): string => {
  const time = new Date(event.time).toTimeString().slice(0, 8);
  const parts = [event.toolName, ...saidBy(event)].filter((part) => part !== null && part !== '');
  const text = parts.map((part) => printable(String(part)).replaceAll(/\s+/g, ' ')).join('  ');
  return `${paint('dim', time)} ${paint(colourOf(event), event.type.padEnd(14))} ${text}`;
};

const colourOf = (event: VcpEvent): 'red' | 'yellow' | 'cyan' => {
  if (event.type === 'result' && event.data.errorCode !== null) return 'red';
  if (event.type !== 'vcp_log') return 'cyan';
  return event.data.level === 'error' ? 'red' : event.data.level === 'warn' ? 'yellow' : 'cyan';
};

const saidBy = (event: VcpEvent): readonly (string | null)[] => {
  switch (event.type) {
    case 'vcp_info':
      return [event.stage, percent(event.progress), event.message];
    case 'vcp_log':
      return [event.data.level, event.data.message, detailsOf(event.data.details)];
    case 'task':
      return [event.data.state, percent(event.data.progress), event.taskId];
    case 'approval':
      return [event.data.state, event.data.command, event.data.reason, event.approvalId];
    case 'result':
      return [event.data.command, event.data.errorCode ?? event.data.status, event.resultId];
    case 'schedule':
      return [event.data.state, event.data.dueAt, event.data.status, event.scheduleId];
    case 'ai_message':
      return [event.data.model, event.data.text];
    case 'plugin_message':
      return [event.data.name, detailsOf(event.data.message)];
  }
};

const percent = (progress: number | null): string | null =>
  progress === null ? null : `${Math.round(progress * 100)}%`;

const MOST_CHARACTERS = 400;

const detailsOf = (details: object | null): string | null => {
  if (details === null || Object.keys(details).length === 0) return null;
  const text = JSON.stringify(details);
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
};
