/** The rows of every SQL store. Names are snake_case as SQL has it; JSON columns hold JSON text. */
export type ResultRow = {
  id: string;
  owner: string;
  tool_name: string;
  status: string;
  created_at: string;
  body: string;
};

export type RecordRow = {
  id: string;
  owner: string;
  result_id: string;
  invocation_id: string;
  request_id: string;
  tool_name: string;
  command: string | null;
  status: string;
  error_code: string | null;
  source: string;
  actor: string | null;
  started_at: string;
  duration_ms: number;
  audit: string;
};

export type ResourceRow = {
  id: string;
  owner: string;
  result_id: string | null;
  sha256: string | null;
  created_at: string;
  descriptor: string;
};

export type Tables = { results: ResultRow; records: RecordRow; resources: ResourceRow };
