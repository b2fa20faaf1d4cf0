import type { ResultOf, RouteOf } from '../../../api/routes.ts';
import { defaultSettings, type ConversationSettings } from './conversation-settings.ts';
import { definedOnly, toIntegrations, toParameters } from './to-chat-body.ts';

export type Preset = ResultOf<RouteOf<'get', '/api/v1/presets'>>['presets'][number];

/** Converts settings to the values of a stored preset. @param hasModel Includes the model. */
export function toPresetBody(settings: ConversationSettings, hasModel: boolean) {
  const integrations = toIntegrations(settings);
  return {
    ...toParameters(settings),
    ...definedOnly({
      model: hasModel ? settings.model : undefined,
      system_prompt: settings.systemPrompt === '' ? undefined : settings.systemPrompt,
      reasoning: settings.reasoning,
      response_format: settings.responseFormat,
      integrations: integrations.length === 0 ? undefined : integrations,
    }),
  };
}

/** Applies a preset to settings. The model stays if the preset has none. */
export function withPreset(
  preset: Omit<Preset, 'name' | 'revision' | 'updated_at'>,
  model: string | undefined,
): ConversationSettings {
  const entries = (preset.integrations ?? []).map((each) =>
    typeof each === 'string' ? { type: 'plugin' as const, id: each, allowed_tools: null } : each,
  );
  const plugins = entries.filter((each) => each.type === 'plugin');
  const servers = entries.filter((each) => each.type === 'ephemeral_mcp');
  const allowed = plugins.flatMap(({ id, allowed_tools: tools }) =>
    tools == null ? [] : [[id, tools] as const],
  );
  return {
    ...defaultSettings,
    ...definedOnly({
      temperature: preset.temperature ?? undefined,
      topP: preset.top_p ?? undefined,
      topK: preset.top_k ?? undefined,
      minP: preset.min_p ?? undefined,
      repeatPenalty: preset.repeat_penalty ?? undefined,
      maxOutputTokens: preset.max_output_tokens ?? undefined,
      contextLength: preset.context_length ?? undefined,
      reasoning: preset.reasoning ?? undefined,
      responseFormat: preset.response_format ?? undefined,
      dropsOldTurns: preset.truncation === 'auto' ? true : undefined,
      allowedTools: allowed.length === 0 ? undefined : Object.fromEntries(allowed),
      servers:
        servers.length === 0
          ? undefined
          : servers.map((each) => ({ label: each.server_label, url: each.server_url })),
    }),
    model: preset.model ?? model,
    systemPrompt: preset.system_prompt ?? '',
    integrations: plugins.map(({ id }) => id),
  };
}
