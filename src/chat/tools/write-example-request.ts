import { writeToolRequest } from '../../instruction/write-tool-request.ts';
import type { ToolRequestWriter } from './describe-tool-for-model.ts';

/** A call as a model is shown it; one that cannot be said by text is shown as what it is. */
export const writeExampleRequest: ToolRequestWriter = (request) => {
  const written = writeToolRequest(request);
  return written.ok ? written.text : JSON.stringify(request);
};
