/** The few methods of the state of a Durable Object that we call. */
export type ObjectState = {
  readonly storage: {
    readonly sql: SqlStorageLike;
    /** Milliseconds since the epoch; null when none is set. */
    getAlarm(): Promise<number | null>;
    setAlarm(at: number): Promise<void>;
    deleteAlarm(): Promise<void>;
  };
  /** Takes a WebSocket that stays open while the object sleeps. */
  acceptWebSocket(socket: SleepingSocket): void;
  getWebSockets(): SleepingSocket[];
};

/** SQLite inside the object: nothing here waits. */
export type SqlStorageLike = {
  exec(sql: string, ...values: (string | number | null)[]): Iterable<Readonly<Record<string, unknown>>>;
};

/** A WebSocket that remembers a small value while the object sleeps. */
export type SleepingSocket = Pick<WebSocket, 'send' | 'close' | 'readyState'> & {
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
};
