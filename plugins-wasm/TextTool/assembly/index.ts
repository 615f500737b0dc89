import { failure, Json, Payload, serve, success } from 'vcp-plugin';
import { caseOf } from './case';
import { count } from './count';
import { decode } from './decode';
import { diff } from './diff';
import { encode } from './encode';
import { hash } from './hash';
import { lines } from './lines';

export function invoke(): i32 {
  return serve((call) => {
    const args = call.arguments;
    if (call.command == 'Diff') return diff(args);
    if (call.command == 'Case') return changeCase(args);
    if (call.command == 'Encode') return encode(args);
    if (call.command == 'Decode') return decode(args);
    if (call.command == 'Hash') return hash(args);
    if (call.command == 'Lines') return lines(args);
    if (call.command == 'Count') return count(args);
    return failure('COMMAND_NOT_FOUND', 'there is no command ' + call.command);
  });
}

function changeCase(args: Json): Payload {
  const text = caseOf(args.getString('text'), args.getString('to'));
  return success(Json.object().set('text', text)).summary('Text in ' + args.getString('to') + ' case');
}
