import { HearthError } from '../../../kernel/errors/errors.ts';
import type { GenerationRequest } from '../../engine.ts';

/** Features that servers may lack. */
export type Feature =
  | 'tools'
  | 'json_schema'
  | 'json_object'
  | 'images'
  | 'logprobs'
  | 'completions'
  | 'completionLogprobs';

const described: Readonly<Record<Feature, string>> = {
  tools: 'tools',
  json_schema: 'answers that follow a JSON schema',
  json_object: 'answers in JSON',
  images: 'images',
  logprobs: 'log probabilities',
  completions: 'text completions',
  completionLogprobs: 'log probabilities',
};

/** The features that a request needs, with the field that needs each. */
export function featuresOf(request: GenerationRequest): readonly (readonly [Feature, string])[] {
  const needed: (readonly [Feature, string])[] = [];
  if (request.kind === 'completion') {
    needed.push(['completions', 'prompt']);
    if (request.topLogprobs !== undefined) needed.push(['completionLogprobs', 'topLogprobs']);
    return needed;
  }
  const { tools = [], responseFormat, topLogprobs, messages } = request;
  const hasImage = messages.some(
    ({ content }) => typeof content !== 'string' && content.some(({ type }) => type === 'image'),
  );
  if (tools.length > 0) needed.push(['tools', 'tools']);
  if (responseFormat?.type === 'json_schema') needed.push(['json_schema', 'responseFormat']);
  if (responseFormat?.type === 'json_object') needed.push(['json_object', 'responseFormat']);
  if (hasImage) needed.push(['images', 'messages']);
  if (topLogprobs !== undefined) needed.push(['logprobs', 'topLogprobs']);
  return needed;
}

/** @param lack Ends the sentence "`field` needs the feature, which ...". */
export function lackingFeature(feature: Feature, field: string, lack: string): HearthError {
  return new HearthError(
    'invalid_value',
    (nameOf) => `\`${nameOf(field)}\` needs ${described[feature]}, which ${lack}`,
    { field },
  );
}
