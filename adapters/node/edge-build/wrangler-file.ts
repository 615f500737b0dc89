export type WranglerSettings = {
  readonly name: string;
  readonly bucket: string;
  readonly database: string;
  /** Variables that are no part of a file. */
  readonly secrets: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** When the platform wakes it, and what for. */
  readonly crons: readonly string[];
  readonly upkeep: string;
};

/** What Cloudflare's tools read. Names of stores are the operator's to change, so one that is there stays as it is. */
export const writeWranglerFile = ({
  name,
  bucket,
  database,
  secrets,
  variables,
  crons,
  upkeep,
}: WranglerSettings): string => `# Written once by "vcp edge build", and yours from then on: another build leaves it as it is. See docs/edge.md.
name = ${JSON.stringify(name)}
main = "worker.js"
compatibility_date = "2026-11-01"
compatibility_flags = ["nodejs_compat", "enable_request_signal"]
send_metrics = false

# The build has bundled everything.
no_bundle = true
find_additional_modules = true
rules = [
  { type = "ESModule", globs = ["**/*.js"], fallthrough = false },
  { type = "CompiledWasm", globs = ["**/*.wasm"], fallthrough = false },
]

# "wrangler r2 bucket create ${bucket}"
[[r2_buckets]]
binding = "RESOURCES"
bucket_name = "${bucket}"

# "wrangler d1 create ${database}" tells the id. The worker makes its tables by itself.
[[d1_databases]]
binding = "DATABASE"
database_name = "${database}"
database_id = "local"

# Holds the WebSockets, and keeps the newest events for clients that come back.
[[durable_objects.bindings]]
name = "EVENTS"
class_name = "EventObject"

[[migrations]]
tag = "v1"
new_sqlite_classes = ["EventObject"]

# ${upkeep}
[triggers]
crons = [${crons.map((cron) => JSON.stringify(cron)).join(', ')}]

# Secrets: ${secrets.map((secret) => `"wrangler secret put ${secret}"`).join(', ')}.
[vars]
${Object.entries(variables)
  .map(([variable, value]) => `${variable} = ${JSON.stringify(value)}`)
  .join('\n')}
`;
