import type {
  GenerationOptions,
  InstanceOptions,
  TurnRequest,
} from '../../../chat/turn-request.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { Store } from '../../../store/store.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import type { ChatRequest } from '../chat/chat-schema.ts';
import { toTurnRequest } from '../chat/to-turn-request.ts';
import { findRecord } from './named-records.ts';
import type { Preset } from './preset-schema.ts';

/**
 * The caller's preset that a request names; undefined if it names none.
 *
 * @throws HearthError `preset_not_found`
 */
export async function findPreset(
  store: Store,
  name: string | null | undefined,
  { caller }: Pick<RequestContext, 'caller'>,
): Promise<Preset | undefined> {
  if (name == null) return undefined;
  const record = await findRecord(store, { kind: 'preset', ownerId: caller.tokenId, name });
  return record.content as Preset;
}

/** Adds a preset's values to a chat; the request's values take precedence. */
export function withPresetFields(body: ChatRequest, preset: Preset): ChatRequest {
  const { model, input } = body;
  return { ...preset, ...omitUndefined(body), model, input };
}

/**
 * Adds a preset's values to another API's turn; the turn's own values take precedence. A system message counts as a
 * system prompt. The API itself applies the limit of output tokens, since its requests may ask for none.
 */
export function withPreset(request: TurnRequest, preset: Preset | undefined): TurnRequest {
  if (preset === undefined) return request;
  const { systemPrompt, reasoning, responseFormat, dropsOldTurns } = toDefaults(preset);
  const hasSystemPrompt =
    request.instructions !== undefined || request.messages.some(({ role }) => role === 'system');
  const added = {
    ...(hasSystemPrompt ? {} : { systemPrompt }),
    reasoning,
    responseFormat,
    dropsOldTurns,
  };
  return withPresetSampling({ ...omitUndefined(added), ...request }, preset);
}

/** Adds a preset's sampling values and context length to a request. */
export function withPresetSampling<Request extends GenerationOptions & InstanceOptions>(
  request: Request,
  preset: Preset | undefined,
): Request {
  if (preset === undefined) return request;
  const { sampling, contextLength } = toDefaults(preset);
  return {
    ...omitUndefined({ contextLength }),
    ...request,
    sampling: { ...sampling, ...request.sampling },
  };
}

const toDefaults = (preset: Preset) => toTurnRequest({ ...preset, model: '', input: '' });
