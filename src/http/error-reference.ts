import { errorTable } from '../contract/errors.ts';

/** `docs/errors.md`: every error that a client may get, by status. */
export function errorReference(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { status, type, retryable, when }]) =>
      `| ${status} | \`${type}\` | \`${code}\` | ${retryable ? 'yes' : 'no'} | ${when} |`,
  );
  return [
    '# Errors',
    '',
    'Generated from `src/contract/errors.ts` by `npm run generate`.',
    '',
    'An error is `{"error": {"type", "message", "code", "param"?}}`; v0 always has all four fields, `param` null where',
    'no field is at fault. `param` is the JSON path of that field. The message names the value that was wrong and what',
    'is allowed. Before a stream opens an error has its status; afterwards it is an event of the stream.',
    'Every response has an `X-Request-Id`, which the log of the server has too.',
    '',
    '| status | type | code | may work later | when |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
