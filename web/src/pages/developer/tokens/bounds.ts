import type { TokenRecord } from './tokens-query.ts';

/** Texts of the fields; an empty text means no limit. */
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

/** Converts the entered texts to fields of a request. */
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

/** The changed fields. Models are left out if they are unchanged, since an empty list would allow no models. */
export function changedBounds(before: BoundTexts, after: BoundTexts) {
  const { models, ...limits } = toBounds(after);
  return after.models === before.models ? limits : { ...limits, models };
}
