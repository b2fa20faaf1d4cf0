import type { TokenRecord } from './tokens-query.ts';

/** The typed texts; an empty one bounds nothing. */
export interface BoundTexts {
  readonly requestsPerDay: string;
  readonly tokensPerDay: string;
  readonly models: string;
  readonly priority: TokenRecord['priority'];
}

export const noBounds: BoundTexts = {
  requestsPerDay: '',
  tokensPerDay: '',
  models: '',
  priority: 'normal',
};

/** The fields of a request for what was typed. */
export function toBounds({ requestsPerDay, tokensPerDay, models, priority }: BoundTexts) {
  const patterns = models
    .split(',')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
  return {
    requests_per_day: requestsPerDay === '' ? null : Number(requestsPerDay),
    tokens_per_day: tokensPerDay === '' ? null : Number(tokensPerDay),
    models: patterns.length === 0 ? null : patterns,
    priority,
  };
}

/** The fields of a change. Unchanged models are left out, since a token with an empty list may use none. */
export function changedBounds(before: BoundTexts, after: BoundTexts) {
  const { models, ...limits } = toBounds(after);
  return after.models === before.models ? limits : { ...limits, models };
}
