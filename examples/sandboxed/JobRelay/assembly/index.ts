import { Call, encodeUtf8, failure, fetch, getConfig, Json, Payload, serve } from 'vcp-plugin';

/** Gives the job to the service with the address and the token by which it calls back; then there is nothing left to do here. */
export function invoke(): i32 {
  return serve((call) => relay(call));
}

function relay(call: Call): Payload {
  const task = call.context.get('task');
  const job = Json.object()
    .set('kind', call.command)
    .set('arguments', call.arguments)
    .set('taskId', task.getString('id'))
    .set('callbackUrl', task.getString('callbackUrl'))
    .set('token', task.getString('token'));
  const service = getConfig('JOB_SERVICE_URL').value.getString('value');
  const headers = Json.object().set('content-type', 'application/json');
  const answer = fetch(service, 'POST', headers, encodeUtf8(job.stringify()));
  if (answer.failed) return failure('JOB.UNREACHABLE', `the service cannot be asked: ${answer.message}`);
  const status = answer.value.getInteger('status');
  if (status >= 300) return failure('JOB.REFUSED', `the service refused the job: it answered ${status}`);
  const accepted = Json.object().set('id', task.getString('id')).set('state', 'queued');
  return new Payload('accepted', Json.null()).field('task', accepted);
}
