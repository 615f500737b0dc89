import type { Redaction } from '../../protocol/canonical-tool-result.ts';
import type { ResourceDescriptor } from '../../protocol/resource.ts';
import { howToRead } from '../how-to-read.ts';
import type { AiSource } from './ai-source.ts';
import type { AiContentPart, AiContext, AiView } from './ai-view.ts';
import { composeText } from './compose-text.ts';
import { cutText } from './cut-text.ts';
import { neverShown } from './never-shown.ts';
import { orderedResources } from './sections/resource-section.ts';

/** A result as a model reads it (§8). Reads no bytes, does no I/O; its cost follows the budget and not the data. */
export const presentAi = (source: AiSource, context: AiContext): AiView => {
  const { result } = source;
  const composed = composeText(source, context);
  const shown = new Set(composed.listed.map(({ resource }) => resource.id));
  const withheld = result.resources.filter(({ id }) => !shown.has(id)).map(({ id }) => id);
  const { text, cut } = cutText(composed.text, context.maxCharacters, result.id, composed.headline);
  const attached = orderedResources(result).filter(({ resource }) => shown.has(resource.id));
  return {
    text,
    content: [{ type: 'text', text }, ...attached.flatMap(({ resource }) => mediaPart(resource, context))],
    omitted: {
      fields: [...composed.omissions, ...neverShown(result), ...cut],
      resources: withheld,
      redactions: [...source.redactions, ...composed.redactions].filter(isOfShownParts),
      resultId: result.id,
      howToRead: howToRead(result.id, context.readerTool),
    },
  };
};

/** What was taken out of parts that this view has no place for is not missing from it. */
const isOfShownParts = ({ pointer }: Redaction): boolean => !/^\/(?:origin|extensions)/.test(pointer);

/** §8.6: a picture goes along only for a model that sees; bytes are the model adapter's to fetch. */
const mediaPart = (resource: ResourceDescriptor, { modelCapabilities }: AiContext): AiContentPart[] => {
  if (resource.access.type === 'external') return [];
  if (resource.kind === 'image' && modelCapabilities.vision) return [{ type: 'image', resourceId: resource.id }];
  if (resource.kind === 'audio' && modelCapabilities.audio) return [{ type: 'audio', resourceId: resource.id }];
  return [];
};
