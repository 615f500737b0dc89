import { Call, failure, Payload } from 'vcp-plugin';
import { findZone, offsetText, similarZones } from './find-zone';
import { interpret, Occurrence } from './local-time';
import { localText, Moment } from './moment';
import { parseTime, WrittenTime } from './parse-time';
import { Zone } from './zone';

/** Reads the times and zones of a call. What cannot be read becomes `fault`, and the first of them is the answer. */
export class Inputs {
  fault: Payload | null = null;
  private readonly warningCodes: Array<string> = new Array<string>();
  private readonly warningTexts: Array<string> = new Array<string>();

  constructor(private readonly call: Call) {}

  /** An answer with the warnings that came up on the way. */
  finish(payload: Payload): Payload {
    for (let at = 0; at < this.warningCodes.length; at++) payload.warn(this.warningCodes[at], this.warningTexts[at]);
    return payload;
  }

  zone(name: string, target: string): Zone {
    const found = findZone(name);
    if (found !== null) return found;
    const similar = similarZones(name);
    const hint =
      similar.length > 0
        ? `did you mean ${similar.join(', ')}?`
        : 'give an IANA name such as Asia/Shanghai, or an offset such as +08:00';
    this.fail(failure('DATETIME.NO_SUCH_ZONE', `there is no time zone "${name}"; ${hint}`, target));
    return UTC;
  }

  /** The zone of an argument; the server's when there is none. */
  zoneOf(key: string): Zone {
    return this.zone(this.call.arguments.getString(key, this.call.timeZone), key);
  }

  /** A time of an argument, now when it is left out or "now". It is read in its own offset, else in the zone of `zoneKey`. */
  moment(key: string, zoneKey: string): Moment {
    const args = this.call.arguments;
    const text = args.getString(key, 'now');
    const hasZone = args.has(zoneKey);
    const written = parseTime(text == 'now' ? this.call.now : text);
    if (written === null) {
      const message = `"${text}" is no time; write 2026-07-12, 2026-07-12T10:00 or 2026-07-12T10:00:00+02:00, of a day that there is`;
      this.fail(failure('DATETIME.NO_TIME', message, key));
      return new Moment(0, UTC);
    }
    if (written.hasOffset) {
      const ownZone = written.offset == 0 ? UTC : Zone.fixed(written.offset, offsetText(written.offset));
      const zone = hasZone || text == 'now' ? this.zoneOf(zoneKey) : ownZone;
      return new Moment(written.local - <i64>written.offset * 1000, zone);
    }
    return this.placed(written, this.zoneOf(zoneKey), key);
  }

  /** What the clocks of a zone show, as a point in time; a reading that came twice or never is told of. */
  placed(written: WrittenTime, zone: Zone, target: string): Moment {
    const found = interpret(written.local, zone);
    const choice = this.call.arguments.getString('disambiguation', 'compatible');
    const moment = new Moment(found.choose(choice), zone);
    if (found.occurrence == Occurrence.Once) return moment;
    const shown = localText(written.local);
    const isGap = found.occurrence == Occurrence.Never;
    const what = isGap
      ? `the clocks of ${zone.name} were put forward over ${shown}`
      : `the clocks of ${zone.name} show ${shown} twice`;
    if (choice == 'reject') {
      const code = isGap ? 'DATETIME.IN_GAP' : 'DATETIME.AMBIGUOUS';
      this.fail(failure(code, `${what}; give an offset, or the disambiguation "earlier" or "later"`, target));
    } else {
      this.warningCodes.push(isGap ? 'TIME_IN_GAP' : 'TIME_AMBIGUOUS');
      this.warningTexts.push(`${what}; ${moment.toString()} was taken`);
    }
    return moment;
  }

  fail(payload: Payload): void {
    if (this.fault === null) this.fault = payload;
  }
}

const UTC = Zone.fixed(0, 'UTC');
