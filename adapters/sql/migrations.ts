import type { Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Tables } from './tables.ts';

/** In order of their names; one that has landed is never changed. */
export const MIGRATIONS: Record<string, Migration> = {
  '0001-results-records-resources': {
    up: async (db) => {
      await db.schema
        .createTable('results')
        .addColumn('id', 'varchar(32)', (column) => column.primaryKey())
        .addColumn('owner', 'varchar(64)', (column) => column.notNull())
        .addColumn('tool_name', 'varchar(256)', (column) => column.notNull())
        .addColumn('status', 'varchar(16)', (column) => column.notNull())
        .addColumn('created_at', 'varchar(40)', (column) => column.notNull())
        .addColumn('body', 'text', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('records')
        .addColumn('id', 'varchar(32)', (column) => column.primaryKey())
        .addColumn('owner', 'varchar(64)', (column) => column.notNull())
        .addColumn('result_id', 'varchar(32)', (column) => column.notNull())
        .addColumn('invocation_id', 'varchar(32)', (column) => column.notNull())
        .addColumn('request_id', 'varchar(32)', (column) => column.notNull())
        .addColumn('tool_name', 'varchar(256)', (column) => column.notNull())
        .addColumn('command', 'varchar(128)')
        .addColumn('status', 'varchar(16)', (column) => column.notNull())
        .addColumn('error_code', 'varchar(128)')
        .addColumn('source', 'varchar(16)', (column) => column.notNull())
        .addColumn('actor', 'varchar(256)')
        .addColumn('started_at', 'varchar(40)', (column) => column.notNull())
        .addColumn('duration_ms', 'real', (column) => column.notNull())
        .addColumn('audit', 'text', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('records_by_owner').on('records').columns(['owner', 'id']).execute();
      await db.schema.createIndex('records_by_tool').on('records').columns(['tool_name', 'id']).execute();
      await db.schema
        .createTable('resources')
        .addColumn('id', 'varchar(32)', (column) => column.primaryKey())
        .addColumn('owner', 'varchar(64)', (column) => column.notNull())
        .addColumn('result_id', 'varchar(32)')
        .addColumn('sha256', 'varchar(64)')
        .addColumn('created_at', 'varchar(40)', (column) => column.notNull())
        .addColumn('descriptor', 'text', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('resources_by_sha256').on('resources').column('sha256').execute();
    },
  },
  '0002-idempotency-keys': {
    up: async (db) => {
      await db.schema
        .createTable('idempotency_keys')
        .addColumn('owner', 'varchar(64)', (column) => column.notNull())
        .addColumn('idempotency_key', 'varchar(255)', (column) => column.notNull())
        .addColumn('fingerprint', 'varchar(64)', (column) => column.notNull())
        .addColumn('invocation_id', 'varchar(32)', (column) => column.notNull())
        .addColumn('claimed_by', 'varchar(128)', (column) => column.notNull())
        .addColumn('claimed_at', 'varchar(40)', (column) => column.notNull())
        .addColumn('lease_until', 'varchar(40)', (column) => column.notNull())
        .addColumn('expires_at', 'varchar(40)', (column) => column.notNull())
        .addColumn('result_id', 'varchar(32)')
        .addPrimaryKeyConstraint('idempotency_keys_by_owner', ['owner', 'idempotency_key'])
        .execute();
      await db.schema.createIndex('idempotency_keys_by_expiry').on('idempotency_keys').column('expires_at').execute();
    },
  },
  '0003-repeatable-keys': {
    up: async (db) => {
      // Of the calls before, nobody noted it: 0 is what never does work twice.
      await db.schema
        .alterTable('idempotency_keys')
        .addColumn('is_repeatable', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
    },
  },
  '0004-plugin-values': {
    up: async (db) => {
      await db.schema
        .createTable('plugin_values')
        .addColumn('plugin', 'varchar(64)', (column) => column.notNull())
        .addColumn('key', 'varchar(512)', (column) => column.notNull())
        .addColumn('value', 'text', (column) => column.notNull())
        .addColumn('bytes', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('plugin_values_by_key', ['plugin', 'key'])
        .execute();
      // What a plugin has is summed up at each write, from this index alone.
      await db.schema.createIndex('plugin_values_by_size').on('plugin_values').columns(['plugin', 'bytes']).execute();
    },
  },
  '0005-retention': {
    up: async (db) => {
      await db.schema.createIndex('results_by_time').on('results').column('created_at').execute();
      await db.schema.createIndex('records_by_time').on('records').column('started_at').execute();
      await db.schema.createIndex('resources_by_time').on('resources').column('created_at').execute();
    },
  },
  '0006-tasks': {
    up: async (db) => {
      await db.schema
        .createTable('tasks')
        .addColumn('id', 'varchar(32)', (column) => column.primaryKey())
        .addColumn('owner', 'varchar(64)', (column) => column.notNull())
        .addColumn('kind', 'varchar(16)', (column) => column.notNull())
        .addColumn('tool_name', 'varchar(256)', (column) => column.notNull())
        .addColumn('display_name', 'text')
        .addColumn('plugin_version', 'text')
        .addColumn('command', 'text')
        .addColumn('state', 'varchar(16)', (column) => column.notNull())
        .addColumn('progress', 'real')
        .addColumn('stage', 'text')
        .addColumn('message', 'text')
        .addColumn('invocation_id', 'varchar(32)', (column) => column.notNull())
        .addColumn('request_id', 'varchar(32)', (column) => column.notNull())
        .addColumn('source', 'varchar(16)', (column) => column.notNull())
        .addColumn('actor', 'text')
        .addColumn('request_ip', 'varchar(64)')
        .addColumn('node_id', 'varchar(128)')
        .addColumn('extensions', 'text', (column) => column.notNull())
        .addColumn('accepted_result_id', 'varchar(32)')
        .addColumn('result_id', 'varchar(32)')
        .addColumn('approval_id', 'varchar(32)')
        .addColumn('server_id', 'varchar(128)', (column) => column.notNull())
        .addColumn('created_at', 'varchar(40)', (column) => column.notNull())
        .addColumn('updated_at', 'varchar(40)', (column) => column.notNull())
        .addColumn('expires_at', 'varchar(40)', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('tasks_by_owner').on('tasks').columns(['owner', 'id']).execute();
      await db.schema.createIndex('tasks_by_tool').on('tasks').columns(['tool_name', 'id']).execute();
      // What has not ended has no result, so the sweeper finds the overdue ones at the front of it.
      await db.schema.createIndex('tasks_by_expiry').on('tasks').columns(['result_id', 'expires_at']).execute();
      await db.schema.createIndex('tasks_by_state').on('tasks').columns(['state', 'updated_at']).execute();
      await db.schema
        .createTable('task_callbacks')
        .addColumn('task_id', 'varchar(32)', (column) => column.notNull())
        .addColumn('webhook_id', 'varchar(256)', (column) => column.notNull())
        .addColumn('digest', 'varchar(64)', (column) => column.notNull())
        .addColumn('ends_task', 'integer', (column) => column.notNull())
        .addColumn('answer', 'text', (column) => column.notNull())
        .addColumn('taken_at', 'varchar(40)', (column) => column.notNull())
        .addPrimaryKeyConstraint('task_callbacks_by_id', ['task_id', 'webhook_id'])
        .execute();
      await db.schema
        .createIndex('task_callbacks_by_time')
        .on('task_callbacks')
        .columns(['ends_task', 'taken_at'])
        .execute();
    },
  },
  '0007-approvals': {
    up: async (db) => {
      await db.schema
        .createTable('approvals')
        .addColumn('id', 'varchar(32)', (column) => column.primaryKey())
        .addColumn('owner', 'varchar(64)', (column) => column.notNull())
        .addColumn('state', 'varchar(16)', (column) => column.notNull())
        .addColumn('required_by', 'text', (column) => column.notNull())
        .addColumn('tool_name', 'varchar(256)', (column) => column.notNull())
        .addColumn('display_name', 'text', (column) => column.notNull())
        .addColumn('plugin_version', 'text', (column) => column.notNull())
        .addColumn('plugin_digest', 'varchar(64)', (column) => column.notNull())
        .addColumn('command', 'varchar(128)', (column) => column.notNull())
        .addColumn('actor', 'text')
        .addColumn('source', 'varchar(16)', (column) => column.notNull())
        .addColumn('hash', 'varchar(64)', (column) => column.notNull())
        .addColumn('invocation_id', 'varchar(32)', (column) => column.notNull())
        .addColumn('request_id', 'varchar(32)', (column) => column.notNull())
        .addColumn('created_at', 'varchar(40)', (column) => column.notNull())
        .addColumn('expires_at', 'varchar(40)', (column) => column.notNull())
        .addColumn('decided_at', 'varchar(40)')
        .addColumn('decided_by', 'varchar(128)')
        .addColumn('reason', 'text')
        .addColumn('task_id', 'varchar(32)')
        .addColumn('held_by', 'varchar(256)')
        .addColumn('lease_until', 'varchar(40)')
        .addColumn('ran_at', 'varchar(40)')
        .addColumn('result_id', 'varchar(32)')
        .addColumn('held_call', 'text', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('approvals_by_owner').on('approvals').columns(['owner', 'id']).execute();
      // Those of one owner that wait are counted whenever another one is asked for.
      await db.schema.createIndex('approvals_by_owner_state').on('approvals').columns(['owner', 'state']).execute();
      await db.schema.createIndex('approvals_by_state').on('approvals').columns(['state', 'id']).execute();
      // What has no result is what may need somebody to go on with it.
      await db.schema.createIndex('approvals_by_result').on('approvals').columns(['result_id', 'created_at']).execute();
      await db.schema.createIndex('approvals_by_time').on('approvals').column('created_at').execute();
    },
  },
  '0008-schedules': {
    up: async (db) => {
      await db.schema
        .createTable('schedules')
        .addColumn('id', 'varchar(32)', (column) => column.primaryKey())
        .addColumn('owner', 'varchar(128)', (column) => column.notNull())
        .addColumn('tool_name', 'varchar(256)', (column) => column.notNull())
        .addColumn('definition', 'text', (column) => column.notNull())
        .addColumn('state', 'varchar(16)', (column) => column.notNull())
        .addColumn('next_at', 'varchar(40)')
        .addColumn('run_count', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'varchar(40)', (column) => column.notNull())
        .addColumn('updated_at', 'varchar(40)', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('schedules_by_due_time').on('schedules').column('next_at').execute();
      await db.schema.createIndex('schedules_by_owner').on('schedules').columns(['owner', 'id']).execute();
      await db.schema.createIndex('schedules_by_end').on('schedules').columns(['state', 'updated_at']).execute();
      await db.schema
        .createTable('schedule_runs')
        .addColumn('id', 'varchar(32)', (column) => column.primaryKey())
        .addColumn('schedule_id', 'varchar(32)', (column) => column.notNull())
        .addColumn('due_at', 'varchar(40)', (column) => column.notNull())
        .addColumn('times', 'integer', (column) => column.notNull())
        .addColumn('state', 'varchar(16)', (column) => column.notNull())
        .addColumn('attempt', 'integer', (column) => column.notNull())
        .addColumn('is_repeatable', 'integer', (column) => column.notNull())
        .addColumn('lease_until', 'varchar(40)')
        .addColumn('server_id', 'varchar(128)')
        .addColumn('result_id', 'varchar(32)')
        .addColumn('status', 'varchar(16)')
        .addColumn('error_code', 'varchar(128)')
        .addColumn('reason', 'text')
        .addColumn('started_at', 'varchar(40)')
        .addColumn('finished_at', 'varchar(40)')
        .addUniqueConstraint('schedule_runs_by_due_time', ['schedule_id', 'due_at'])
        .execute();
      await db.schema.createIndex('schedule_runs_by_lease').on('schedule_runs').column('lease_until').execute();
      await db.schema.createIndex('schedule_runs_newest').on('schedule_runs').columns(['schedule_id', 'id']).execute();
    },
  },
  '0009-inbox': {
    up: async (db) => {
      await db.schema
        .createTable('inbox_items')
        .addColumn('id', 'varchar(32)', (column) => column.primaryKey())
        .addColumn('received_at', 'varchar(40)', (column) => column.notNull())
        .addColumn('task_id', 'varchar(32)', (column) => column.notNull())
        .addColumn('tool_name', 'varchar(256)', (column) => column.notNull())
        .addColumn('webhook_id', 'varchar(256)', (column) => column.notNull())
        .addColumn('digest', 'varchar(64)', (column) => column.notNull())
        .addColumn('kind', 'varchar(16)', (column) => column.notNull())
        .addColumn('state', 'varchar(16)', (column) => column.notNull())
        .addColumn('content', 'text')
        .addColumn('content_sha256', 'varchar(64)')
        .addColumn('content_bytes', 'integer')
        .addColumn('resources', 'text', (column) => column.notNull())
        .addColumn('acknowledged_at', 'varchar(40)')
        .execute();
      // What nobody has acknowledged is what is asked for, in the order of the ids.
      await db.schema.createIndex('inbox_items_open').on('inbox_items').columns(['acknowledged_at', 'id']).execute();
      await db.schema.createIndex('inbox_items_by_task').on('inbox_items').columns(['task_id', 'kind']).execute();
      await db.schema
        .createTable('inbox_callbacks')
        .addColumn('task_id', 'varchar(32)', (column) => column.notNull())
        .addColumn('webhook_id', 'varchar(256)', (column) => column.notNull())
        .addColumn('item_id', 'varchar(32)', (column) => column.notNull().unique())
        .addColumn('digest', 'varchar(64)', (column) => column.notNull())
        .addColumn('ends_task', 'integer', (column) => column.notNull())
        .addColumn('answer', 'text', (column) => column.notNull())
        .addColumn('kept_until', 'varchar(40)', (column) => column.notNull())
        .addPrimaryKeyConstraint('inbox_callbacks_by_id', ['task_id', 'webhook_id'])
        .execute();
      await db.schema.createIndex('inbox_callbacks_by_time').on('inbox_callbacks').column('kept_until').execute();
      await db.schema
        .createTable('inbox_blobs')
        .addColumn('item_id', 'varchar(32)', (column) => column.notNull())
        .addColumn('sha256', 'varchar(64)', (column) => column.notNull())
        .addPrimaryKeyConstraint('inbox_blobs_by_hash', ['sha256', 'item_id'])
        .execute();
      await db.schema.createIndex('inbox_blobs_by_item').on('inbox_blobs').column('item_id').execute();
    },
  },
};

/** Brings a database to the newest layout. Running it again, or by two servers at once, does nothing more. */
export const migrate = async (db: Kysely<Tables>): Promise<void> => {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(MIGRATIONS) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
};
