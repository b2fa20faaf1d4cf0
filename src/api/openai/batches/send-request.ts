import type { SendRequest } from '../../../chat/batches/batch-runner.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { TokenRepository } from '../../../store/store.ts';
import type { HonoApp } from '../../kit/app-environment.ts';
import { principalOf } from '../../kit/guards/principal.ts';
import type { RunningRequest } from '../../kit/running-requests.ts';
import { openAiErrors } from '../errors.ts';

export interface BatchSenderOptions {
  readonly app: HonoApp;
  readonly tokens: Pick<TokenRepository, 'find'>;
  readonly isTokenRequired: boolean;
}

/** Sends a batch's requests to the app itself, with the permissions of the token that created the batch. */
export function createBatchSender({
  app,
  tokens,
  isTokenRequired,
}: BatchSenderOptions): SendRequest {
  return async ({ endpoint, body, ownerId, signal }) => {
    const principal = await principalOf(tokens, ownerId, isTokenRequired);
    if (principal === undefined) {
      const message = 'The token of this batch was revoked or has expired.';
      const refused = openAiErrors.serialize(new HearthError('invalid_api_key', message));
      return { status: refused.status, requestId: '', body: refused.body };
    }
    const ends: ((end: { readonly isComplete: boolean }) => void)[] = [];
    const running: RunningRequest = { signal, onEnd: (callback) => void ends.push(callback) };
    const request = new Request(`http://localhost${endpoint}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    try {
      const response = await app.fetch(request, { running, batchCaller: principal });
      const requestId = response.headers.get('x-request-id') ?? '';
      return { status: response.status, requestId, body: await response.json() };
    } finally {
      for (const end of ends) end({ isComplete: !signal.aborted });
    }
  };
}
