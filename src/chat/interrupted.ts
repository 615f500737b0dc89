/** The reason of a signal that somebody used to end a conversation on purpose. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor() {
    super('the conversation was interrupted');
  }
}

/** The reason of a signal by which a server that stops ends its conversations. */
export class ServerStopping extends Error {
  override readonly name = 'ServerStopping';

  constructor() {
    super('the server is shutting down');
  }
}
