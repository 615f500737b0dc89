import { commandExecution } from './command-execution.ts';
import { errorView } from './error-view.ts';
import { fileResult } from './file-result.ts';
import { genericArray, genericObject } from './generic.ts';
import { imageResult } from './image-result.ts';
import type { Renderer } from './renderer.ts';
import { scheduleList } from './schedule-list.ts';
import { searchReport } from './search-report.ts';
import { tableView } from './table-view.ts';
import { taskAccepted, taskStatus } from './task-view.ts';

/** §8.3: the renderers, in the order in which they are asked. */
export const STANDARD_RENDERERS: readonly Renderer[] = [
  errorView,
  taskAccepted,
  taskStatus,
  scheduleList,
  searchReport,
  imageResult,
  fileResult,
  commandExecution,
  tableView,
  genericObject,
  genericArray,
];
