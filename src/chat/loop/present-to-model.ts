import { neutraliseMarkers } from '../../lib/neutralise-markers.ts';
import type { Limits } from '../../lib/limits.ts';
import type { MediaRules } from '../../ports/media-rules.ts';
import { carryMedia, type MediaPorts } from '../../present/model/carried-media.ts';
import { toOpenAiChat } from '../../present/model/openai-chat.ts';
import type { CanonicalToolResult } from '../../protocol/canonical-tool-result.ts';
import { projectForAi } from '../../runtime/project.ts';
import type { ConversationMedia } from './calling-conversation.ts';
import type { ChatCaller } from './chat-caller.ts';
import type { MessagePart } from './tool-report.ts';

export type PresentationToModel = {
  readonly media: MediaPorts;
  readonly knownPaths: readonly string[];
  readonly limits: Pick<Limits, 'auditDataCharacters' | 'chatResultCharacters'>;
};

export type PresentedResult = { readonly text: string; readonly media: readonly MessagePart[] };

/** A result as a model reads it (§8): its text without anything that could be a call, and its media as the model takes them. */
export const presentToModel = async (
  result: CanonicalToolResult,
  { viewer }: Pick<ChatCaller, 'viewer'>,
  { rules, budget }: ConversationMedia,
  { media, knownPaths, limits }: PresentationToModel,
): Promise<PresentedResult> => {
  const view = projectForAi(result, {
    viewer,
    knownPaths,
    limits,
    ai: {
      maxCharacters: limits.chatResultCharacters,
      modelCapabilities: { vision: takes(rules, 'image/'), audio: takes(rules, 'audio/') },
    },
  });
  const parts = await carryMedia(view, result.resources, rules, {
    urlOf: media.urlOf,
    readBytes: async (resource) =>
      budget.take(resource.sizeBytes ?? 0)
        ? await media.readBytes(resource).catch(() => null)
        : { missing: 'the files of this conversation are as many as may be sent along' },
  });
  return {
    text: neutraliseMarkers(view.text),
    media: toOpenAiChat(parts.filter(({ type }) => type === 'media')),
  };
};

const takes = ({ byUrl, byBytes }: MediaRules, kind: string): boolean =>
  [...byUrl, ...byBytes].some((type) => type.startsWith(kind));
