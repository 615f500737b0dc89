/**
 * Why a path could not be walked inside its root. `reason` is one of `refused`, `outside`, `not-found`, `not-a-directory`,
 * `not-a-file`, `changed`, `too-many-links`. The message never names a place on the host.
 */
export class FolderFault extends Error {
  constructor(reason, message) {
    super(message);
    this.name = 'FolderFault';
    this.reason = reason;
  }
}
