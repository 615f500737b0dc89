import type { Task } from '../../../protocol/task.ts';
import { inlineCode, paragraph, text, type BlockContent, type PhrasingContent } from '../markdown.ts';
import type { Renderer } from './renderer.ts';

/** Work that was taken on: under which name it goes on, and where its result will be. */
export const taskAccepted: Renderer = {
  name: 'task-accepted',
  part: 'task',
  matches: ({ status, task }) => status === 'accepted' && task !== null,
  render: ({ result: { task } }) => (task === null ? null : [taskLine(task, [...pollWords(task)])]),
};

/** How a piece of work stands, or how it ended. */
export const taskStatus: Renderer = {
  name: 'task-status',
  part: 'task',
  matches: ({ status, task }) => status !== 'accepted' && task !== null,
  render: ({ result: { task } }) => (task === null ? null : [taskLine(task, [])]),
};

const pollWords = ({ pollAfterMs }: Task): PhrasingContent[] =>
  pollAfterMs === null ? [] : [text(`; look again after ${pollAfterMs} ms`)];

const taskLine = (task: Task, more: readonly PhrasingContent[]): BlockContent =>
  paragraph(
    text('Task '),
    inlineCode(task.id),
    text(`: ${task.state}${task.progress === null ? '' : `, ${Math.round(task.progress * 100)} %`}`),
    ...(task.placeholder === null ? [] : [text('; its result will replace '), inlineCode(task.placeholder)]),
    ...more,
  );
