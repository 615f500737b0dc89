/**
 * Why a module is not accepted. Thrown inside the decoder, where a value would have to pass through every level, and
 * turned into a verdict by `instrumentModule`.
 */
export class ModuleRefusal extends Error {
  override readonly name = 'ModuleRefusal';
}
