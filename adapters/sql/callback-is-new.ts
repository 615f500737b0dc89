import type { ExpressionBuilder } from 'kysely';
import type { Tables } from './tables.ts';

/** Whether no callback of this id has changed the task yet. */
export const callbackIsNew =
  (taskId: string, webhookId: string) =>
  ({ not, exists, selectFrom }: ExpressionBuilder<Tables, 'tasks'>) =>
    not(
      exists(
        selectFrom('task_callbacks')
          .select('webhook_id')
          .where('task_id', '=', taskId)
          .where('webhook_id', '=', webhookId),
      ),
    );
