/** Fuel to be taken at a place in a body, before what follows. */
export type Charge = {
  readonly type: 'charge';
  readonly at: number;
  readonly until: number;
  cost: number;
  /** Whether the guest ends here when the fuel is below zero. */
  checked: boolean;
};

type FrameKind = 'body' | 'block' | 'loop' | 'if';
type Frame = {
  readonly kind: FrameKind;
  /** Values that a branch to it carries. */
  readonly carried: number;
  /** The charge of the basic block that it stands in; null in code that no path reaches. */
  readonly outer: Charge | null;
  /** The charge of the first basic block inside. */
  readonly head: Charge | null;
  /** Of a loop: the charge of each basic block that ends by going back, whatever happens. */
  readonly back: Set<Charge>;
  /** A branch comes here only under a condition. */
  maybeBack: boolean;
  targeted: boolean;
  /** The outermost frame that a path from inside goes to otherwise than by an end. */
  reaches: number;
  /** An `if`: its end can be reached by what was read of it, or by an `else` that is not there. */
  ends: boolean;
};

/**
 * Follows the structure of one body and decides where fuel is taken. What runs whenever something else runs is charged
 * together with it, where the first of them begins: what follows a block that no path leaves is charged before the
 * block; the head of a loop before the loop and on each way back. Every way back and every beginning of a function is
 * checked; other charges are found by the next check, at the latest where the function ends.
 */
export class BlockCharges {
  readonly #add: (charge: Charge) => void;
  readonly #frames: Frame[] = [];
  /** Where the basic block that is read is charged; null in code that no path reaches. */
  #current: Charge | null = null;
  hasLoops = false;

  /** `add` gets each charge in the order of places; those that stay at no cost are to be left out at the end. */
  constructor(add: (charge: Charge) => void, at: number, results: number) {
    this.#add = add;
    this.#begin(at, true);
    this.#push('body', results, this.#current);
  }

  get depth(): number {
    return this.#frames.length;
  }

  /** An instruction that is part of the basic block. */
  cost(units: number): void {
    if (this.#current !== null) this.#current.cost += units;
  }

  /** What follows is reached by no path, until an `else` or an `end`. */
  stop(): void {
    this.#current = null;
  }

  /** After an instruction that may have branched away. */
  split(at: number): void {
    if (this.#current !== null) this.#begin(at, false);
  }

  enter(kind: 'block' | 'loop' | 'if', carried: number, at: number): void {
    const outer = this.#current;
    if (kind === 'loop') this.hasLoops = true;
    if (kind !== 'block' && outer !== null) this.#begin(at, kind === 'loop');
    this.#push(kind, carried, outer);
  }

  /** False where no `if` is open. */
  otherwise(at: number): boolean {
    const frame = this.#frames.at(-1);
    if (frame?.kind !== 'if') return false;
    frame.ends = this.#current !== null;
    if (frame.outer !== null) this.#begin(at, false);
    return true;
  }

  leave(at: number): void {
    const frame = this.#frames.pop() as Frame;
    const parent = this.#frames.at(-1);
    if (parent !== undefined) parent.reaches = Math.min(parent.reaches, frame.reaches);
    const escapes = frame.reaches < this.#frames.length;
    if (frame.kind === 'loop') this.#leaveLoop(frame, escapes);
    else this.#leaveBlock(frame, escapes, at);
  }

  #leaveLoop({ outer, head, back, maybeBack }: Frame, escapes: boolean): void {
    if (outer === null || head === null) return;
    const last = this.#current;
    if (!maybeBack && !back.has(head)) {
      for (const charge of back) {
        charge.cost += head.cost;
        charge.checked = true;
      }
      outer.cost += head.cost;
      head.cost = 0;
      if (last === head) this.#current = outer;
    }
    if (last !== null && !escapes) this.#current = outer;
  }

  #leaveBlock({ kind, outer, targeted, ends }: Frame, escapes: boolean, at: number): void {
    const reached = this.#current !== null || targeted || (kind === 'if' && ends);
    if (outer === null || !reached) this.#current = null;
    else if (!escapes) this.#current = outer;
    else if (kind === 'if' || targeted) this.#begin(at, false);
  }

  /** A branch, `certain` unless it depends on a value. Gives how many values it carries, or null without such a frame. */
  branch(depth: number, certain: boolean): number | null {
    const target = this.#frames.length - 1 - depth;
    const frame = this.#frames[target];
    if (frame === undefined) return null;
    if (this.#current !== null) {
      frame.targeted = true;
      if (!certain) frame.maybeBack = true;
      else if (frame.kind === 'loop') frame.back.add(this.#current);
      const inner = this.#frames.at(-1) as Frame;
      inner.reaches = Math.min(inner.reaches, target);
    }
    return frame.carried;
  }

  #begin(at: number, checked: boolean): void {
    this.#current = { type: 'charge', at, until: at, cost: 0, checked };
    this.#add(this.#current);
  }

  #push(kind: FrameKind, carried: number, outer: Charge | null): void {
    this.#frames.push({
      kind,
      carried,
      outer,
      head: this.#current,
      back: new Set(),
      maybeBack: false,
      targeted: false,
      reaches: this.#frames.length,
      ends: true,
    });
  }
}
