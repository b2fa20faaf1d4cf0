import { Hono } from 'hono';
import { mountApis } from './app.ts';
import type { AppEnvironment } from '../api/kit/app-environment.ts';
import type { Endpoint } from '../api/kit/mount.ts';
import { openApiDocument } from '../api/kit/openapi/document.ts';
import { createServerApi } from '../api/monitoring/api.ts';
import { createApis } from '../api/apis.ts';
import type { ApiServices } from '../api/services.ts';
import { version } from '../kernel/version.ts';
import { errorTable } from '../kernel/errors/errors.ts';

/** The endpoints of all APIs. They have no services, so their handlers must not be called. */
export function declaredEndpoints(): readonly Endpoint[] {
  const services = {} as ApiServices;
  const all = [createServerApi({ ping: async () => {} }), ...createApis(services)];
  return mountApis(new Hono<AppEnvironment>(), all, { settings: { 'limits.bodyBytes': 0 } });
}

/** The generated files of `docs/` by path relative to the repository; `scripts/generate.mjs` writes them. */
export async function referenceFiles(): Promise<Readonly<Record<string, string>>> {
  const document = await openApiDocument(declaredEndpoints(), {
    version,
    serverUrl: 'http://127.0.0.1:1234',
  });
  return {
    'docs/errors.md': errorReference(),
    'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  };
}

/** `docs/errors.md`: all errors, in the order of the error table. */
export function errorReference(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { status, type, retryable, when }]) =>
      `| ${status} | \`${type}\` | \`${code}\` | ${retryable ? 'yes' : 'no'} | ${when} |`,
  );
  return [
    '# Error reference',
    '',
    '```json',
    '{',
    '  "error": {',
    '    "type": "invalid_request",',
    '    "message": "\\"temperature\\" must be at most 1, not 1.5.",',
    '    "code": "invalid_value",',
    '    "param": "temperature"',
    '  }',
    '}',
    '```',
    '',
    '`param` is the JSON path of the invalid field, and is absent (null in v0) if the error is not about a field. An error that',
    'occurs before a stream starts has its HTTP status; a later one is an event of the stream. Every response has an',
    '`X-Request-Id` header; `hearth log --request ID` shows the log lines of a request.',
    '',
    'A request that failed with a retryable error may succeed later without a change. The other APIs use the same codes in the',
    'formats of [OpenAI](openai.md#rules), [Anthropic](anthropic.md#errors) and [Ollama](ollama.md#rules).',
    '',
    'This page is generated from `src/kernel/errors/error-table.ts`.',
    '',
    '| status | type | code | retryable | when |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
