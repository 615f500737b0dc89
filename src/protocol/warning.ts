import { z } from 'zod';
import { JsonValue } from './json.ts';

/** Warnings that the core itself adds. */
export const CORE_WARNING_CODES = {
  MIME_MISMATCH: 'the declared media type contradicted the bytes and was replaced',
  INLINE_EXTRACTED: 'a field held a file as text; it became a resource, and the field refers to it',
  INLINE_NOT_EXTRACTED:
    'a field seems to hold a file as text that cannot be decoded or is too much; it was left as it is',
  MIRROR_FAILED: 'an external resource that the command mirrors could not be fetched; the result has its address',
  DIRECTORY_ENTRIES_SKIPPED: 'links and special files of a published directory were left out',
  UNDECLARED_ERROR_CODE: 'the plugin used an error code that its manifest does not declare',
  ERROR_CATEGORY_REPLACED: 'the plugin claimed an error category that only the core may give',
  NONZERO_EXIT: 'the process wrote a valid error frame and then exited with a code other than 0',
  PROCESS_LINGERED: 'the process stayed after its result frame and was ended',
  RETRIED: 'earlier attempts of the call failed in a way that passes; the details have their error codes',
  RESULT_NOT_STORED: 'the tool acted, but its result could not be stored and cannot be read again',
  RESULT_WITHHELD: 'the result could not be looked through for what its reader may not see, so none of it is shown',
  REPEATED_KEY: 'a text call gave one field more than once; the last value was used',
  EXAMPLE_SKIPPED: 'a text call had a field in quotes of an example; it was left out',
  CONTROL_IGNORED: 'a text call had a control field that has no meaning for a single call',
  LOG_TRUNCATED: 'a sandboxed plugin logged more than it may; the rest was dropped',
  OUTPUT_TRUNCATED: 'part of an output was left out because it exceeded a limit',
} as const;

export const WarningCode = z.string().regex(/^[A-Z][A-Z0-9_]*(\.[A-Z][A-Z0-9_]*)*$/, {
  error: 'must be upper case with underscores, such as "OUTPUT_TRUNCATED"',
});

/** A fault that leaves the result usable (§5.7). */
export const Warning = z
  .strictObject({
    code: WarningCode,
    message: z.string().min(1).max(65_536),
    target: z.string().max(1_024).nullable().default(null),
    details: JsonValue.nullable().default(null),
  })
  .meta({ id: 'warning', title: 'Warning', description: 'A fault that leaves the result usable (§5.7).' });
export type Warning = z.infer<typeof Warning>;
