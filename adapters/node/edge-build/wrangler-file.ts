import { EVERY_MINUTE } from '../../cloudflare/upkeep.ts';

/** What Cloudflare's tools read. Names of stores are the operator's to change, so one that is there stays as it is. */
export const writeWranglerFile = (
  name: string,
  variables: Readonly<Record<string, string>>,
): string => `# Written once by "vcp edge build", and yours from then on: another build leaves it as it is. See docs/edge.md.
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

# "wrangler r2 bucket create vcp-resources"
[[r2_buckets]]
binding = "RESOURCES"
bucket_name = "vcp-resources"

# "wrangler d1 create vcp" tells the id. The worker makes its tables by itself.
[[d1_databases]]
binding = "DATABASE"
database_name = "vcp"
database_id = "local"

# Holds the WebSockets, and keeps the newest events for clients that come back.
[[durable_objects.bindings]]
name = "EVENTS"
class_name = "EventObject"

[[migrations]]
tag = "v1"
new_sqlite_classes = ["EventObject"]

# The first runs what is scheduled, ends overdue tasks and makes approved calls; any other also removes what has had its time.
[triggers]
crons = [${JSON.stringify(EVERY_MINUTE)}, "17 * * * *"]

# Secrets: "wrangler secret put VCP_API_KEY", "wrangler secret put VCP_SIGNING_KEY".
[vars]
${Object.entries(variables)
  .map(([variable, value]) => `${variable} = ${JSON.stringify(value)}`)
  .join('\n')}
`;
