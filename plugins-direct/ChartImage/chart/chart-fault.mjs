/** What is wrong with a chart's arguments, in the form of a tool error. */
export class ChartFault extends Error {
  constructor(code, message, target, details = {}) {
    super(message);
    this.code = code;
    this.target = target;
    this.details = details;
  }
}
