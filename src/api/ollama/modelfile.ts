import type { SettingsRecord } from '../../engines/loads/settings-record.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { ModelSelection } from '../../library/model.ts';

type Parameters = readonly (readonly [name: string, value: string | number])[];

/** The parameters of a Modelfile, one a line. */
export function toParameters(record: SettingsRecord): string {
  return parametersOf(record)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join('\n');
}

/** A Modelfile with the settings of a model or profile; `ollama create` makes an equal profile from it. */
export function toModelfile(
  { model }: Pick<ModelSelection, 'model'>,
  record: SettingsRecord,
): string {
  const { base = model.key, adapters = [], systemPrompt, examples = [], license, load } = record;
  const suffix = adapters.map(({ name, scale }) => `+${name}:${scale}`).join('');
  const optional = (instruction: string, value: string | undefined): readonly string[] =>
    value === undefined || value === '' ? [] : [`${instruction} ${quote(value)}`];
  return [
    `FROM ${base}${suffix}`,
    ...optional('TEMPLATE', load?.chatTemplate),
    ...optional('SYSTEM', systemPrompt),
    ...parametersOf(record).map(([name, value]) => `PARAMETER ${name} ${quote(String(value))}`),
    ...examples.map(({ role, content }) => `MESSAGE ${role} ${quote(content)}`),
    ...optional('LICENSE', license),
  ].join('\n');
}

function parametersOf({ sampling, stop = [], maxOutputTokens, load }: SettingsRecord): Parameters {
  const numbers = omitUndefined({
    num_ctx: load?.contextLength,
    temperature: sampling?.temperature,
    top_p: sampling?.topP,
    top_k: sampling?.topK,
    min_p: sampling?.minP,
    repeat_penalty: sampling?.repeatPenalty,
    repeat_last_n: sampling?.repeatLastTokens,
    presence_penalty: sampling?.presencePenalty,
    frequency_penalty: sampling?.frequencyPenalty,
    seed: sampling?.seed,
    num_predict: maxOutputTokens,
  });
  return [...Object.entries(numbers), ...stop.map((text) => ['stop', text] as const)];
}

/** Three quotes inside a value would end it, and the rest would become instructions. */
function quote(value: string): string {
  if (/^[^\s"][^\r\n"]*(?<!\s)$/.test(value)) return value;
  return `"""${value.replaceAll(/""(?=")/g, '"" ')}"""`;
}
