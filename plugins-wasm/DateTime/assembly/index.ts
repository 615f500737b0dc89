import { Call, failure, Json, Payload, serve, success } from 'vcp-plugin';
import { add } from './add';
import { changes, describe } from './describe';
import { difference } from './difference';
import { Inputs } from './inputs';
import { Moment } from './moment';

export function invoke(): i32 {
  return serve((call) => {
    const inputs = new Inputs(call);
    const payload = answer(call, inputs);
    const fault = inputs.fault;
    return fault !== null ? fault : inputs.finish(payload);
  });
}

function answer(call: Call, inputs: Inputs): Payload {
  const args = call.arguments;
  if (call.command == 'Now') return convert(args, inputs, new Array<Json>());
  if (call.command == 'Convert') return convert(args, inputs, args.getItems('to'));
  if (call.command == 'Add') return add(args, inputs);
  if (call.command == 'Difference') return difference(args, inputs);
  if (call.command == 'Describe') return describe(inputs);
  if (call.command == 'Changes') return changes(args, inputs);
  return failure('COMMAND_NOT_FOUND', 'there is no command ' + call.command);
}

/** A time by the clocks of several places. */
function convert(args: Json, inputs: Inputs, names: Array<Json>): Payload {
  const moment = inputs.moment('time', 'timeZone');
  const times = Json.array();
  let summary = moment.toString();
  for (let at = 0; at < names.length; at++) {
    const there = new Moment(moment.ms, inputs.zone(names[at].text, `to.${at}`));
    times.push(there.toJson());
    summary += (at == 0 ? ' is ' : ', ') + `${there.toString()} in ${there.zone.name}`;
  }
  const data = moment.toJson();
  if (args.has('to')) data.set('times', times);
  return success(data).summary(summary);
}
