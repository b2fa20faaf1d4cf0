import type { SettingsRecord } from '../../engines/loads/settings-record.ts';
import type { ModelEntry } from '../../library/model.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { OllamaCreateRequest } from './create-schema.ts';
import { toContextLength, toMaxTokens, toSampling } from './to-generation-options.ts';

/** Converts the instructions of a Modelfile to settings. */
export function toSettings(body: OllamaCreateRequest, model: ModelEntry): SettingsRecord {
  const { parameters, messages, license, template } = body;
  const all = messages ?? [];
  const ofSystem = all.filter(({ role }) => role === 'system').map(({ content }) => content);
  const system = body.system || ofSystem.join('\n\n');
  const examples = all.flatMap(({ role, content }) =>
    role === 'system' ? [] : [{ role, content }],
  );
  const load = omitUndefined({
    ...toContextLength(parameters, model),
    chatTemplate: template || undefined,
  });
  const sampling = toSampling(parameters);
  const text = [license ?? []].flat().filter(Boolean).join('\n');
  return {
    ...(Object.keys(load).length > 0 && { load }),
    ...(Object.keys(sampling).length > 0 && { sampling }),
    ...omitUndefined({
      systemPrompt: system || undefined,
      stop: parameters?.stop == null ? undefined : [parameters.stop].flat(),
      maxOutputTokens: toMaxTokens(parameters?.num_predict),
      examples: examples.length > 0 ? examples : undefined,
      license: text || undefined,
    }),
  };
}
