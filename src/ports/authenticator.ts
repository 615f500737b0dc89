export type Role = 'human' | 'workflow' | 'ai' | 'bridge' | 'node' | 'operator' | 'admin';

/** Whom a key stands for. `id` owns what its calls leave behind; `tools` null means all tools. */
export type Identity = {
  readonly id: string;
  readonly name: string;
  readonly roles: ReadonlySet<Role>;
  readonly tools: ReadonlySet<string> | null;
};

/** Tells who a bearer key belongs to, in a time that does not depend on how much of it is right. */
export type Authenticator = { authenticate(key: string): Promise<Identity | null> | Identity | null };
